# alone
# A master that writes ten million records before it reads one: bounded memory, all replies, in order.
import os
import subprocess

import watch

count = 10_000_000 // int(os.environ["SCALE"])
with open("master.py", "w") as file:
    file.write("""
import os, sys
count = int(sys.argv[1])
for first in range(0, count, 100000):
    sys.stdout.write("".join(f"{n}\\n" for n in range(first, min(first + 100000, count))))
sys.stdout.flush()
os.close(1)  # sys.stdout.close() leaves the descriptor open
wanted, right = 0, True
for line in sys.stdin:
    right = right and int(line) == wanted
    wanted += 1
with open(os.environ["FIBER_STDOUT"], "w") as result:
    print(wanted == count, right, file=result)
""")
with open("job.yaml", "w") as file:
    file.write(f"master: [python3, master.py, '{count}']\nworkers: {{run: cat, count: 2}}\n")
with watch.Peak() as peak:
    done = subprocess.run(["fiber", "run", "-q", "job.yaml"], capture_output=True, text=True)
print("exit", done.returncode, "all and in order:", done.stdout.strip(), done.stderr)
print("watched head and agent:", len(peak.seen) >= 2)
limit = 400 if os.environ["KIND"] == "release" else 2000
print("memory below the limit:", peak.memory < limit * 1024 or f"{peak.memory} KiB")
