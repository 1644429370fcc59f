# A signal that was ignored at the start stays ignored.
import signal
import subprocess

signal.signal(signal.SIGHUP, signal.SIG_IGN)
run = subprocess.Popen(["fiber", "map", "-q", "-n", "1", "--", "cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
run.stdin.write(b"1\n")
run.stdin.flush()
print(run.stdout.readline())
run.send_signal(signal.SIGHUP)
run.stdin.write(b"2\n")
run.stdin.close()
print(run.stdout.readline(), "exit", run.wait())
