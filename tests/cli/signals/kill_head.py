# kill -9 of fiber itself: no process is left, and the next run clears away what it left on disk.
import os
import subprocess

import watch

run = subprocess.Popen(["fiber", "map", "-q", "-n", "2", "--", "sh", "-c", "sleep 1000 & while read x; do wait; done"],
                       stdin=subprocess.PIPE, stdout=subprocess.PIPE)
run.stdin.write(b"1\n2\n3\n")
run.stdin.flush()
watch.until(lambda: len(watch.ours("sleep")) == 2)
pids = watch.ours()
run.kill()
run.wait()
print("killed, all gone:", watch.gone(pids))
again = subprocess.run(["fiber", "map", "-q", "-n", "1", "--", "cat"], input=b"x\n", capture_output=True)
print("again", again.returncode, again.stdout, "left in TMPDIR:", os.listdir(os.environ["TMPDIR"]))
