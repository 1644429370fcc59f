# SIGTERM and SIGHUP end the run and every process of it; grandchildren too.
import signal
import subprocess

import watch

for sign in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
    run = subprocess.Popen(["fiber", "map", "-q", "-n", "2", "--", "sh", "-c", "sleep 1000 & while read x; do wait; done"],
                           stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    run.stdin.write(b"1\n2\n3\n")
    run.stdin.flush()
    watch.until(lambda: len(watch.ours("sleep")) == 2)
    pids = watch.ours()
    run.send_signal(sign)
    if sign == signal.SIGINT:
        run.send_signal(sign)  # the first drains, the second kills; sent at once they may be one
        try:
            run.wait(1)
        except subprocess.TimeoutExpired:
            run.send_signal(sign)
    print(sign.name, "exit", run.wait(), "all gone:", watch.gone(pids))
