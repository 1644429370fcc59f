# kill -9 of workers from outside, again and again: every reply once, in order.
import subprocess
import threading
import time

import watch

COUNT = 400
run = subprocess.Popen(["fiber", "map", "-q", "-n", "3", "--", "python3", "-uc",
                        "import sys,time\nfor l in sys.stdin:\n time.sleep(.01)\n print(l, end='')"],
                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
tasks = b"".join(b"%d\n" % number for number in range(COUNT))
threading.Thread(target=lambda: (run.stdin.write(tasks), run.stdin.close())).start()
out = [run.stdout.readline()]
killed = 0
for line in run.stdout:
    out.append(line)
    if len(out) % 80 == 0 and killed < 4:
        victims = watch.ours("python3")
        if victims:
            subprocess.run(["kill", "-9", str(victims[0])])
            killed += 1
print("exit", run.wait(), "killed", killed, "every reply once, in order:", b"".join(out) == tasks)
