# alone
# The first record is slow, the others are not: the replies that wait for it do not fill the memory.
import os
import subprocess

import watch

lines = 200 // int(os.environ["SCALE"])
with open("tasks", "w") as file:
    file.write("slow\n" + ("x" * (1 << 20) + "\n") * lines)
WORKER = 'import sys, time\nfor line in sys.stdin:\n    time.sleep(3 if line == "slow\\n" else 0)\n    sys.stdout.write(line)\n    sys.stdout.flush()\n'
with watch.Peak() as peak, open("tasks") as tasks, open("results", "w") as results:
    done = subprocess.run(["fiber", "map", "-q", "-n", "2", "--", "python3", "-c", WORKER], stdin=tasks, stdout=results)
print("exit", done.returncode, "same" if subprocess.run(["cmp", "tasks", "results"]).returncode == 0 else "different")
limit = 256 if os.environ["KIND"] == "release" else 1500
print("memory below the limit:", peak.memory < limit * 1024 or f"{peak.memory} KiB")
