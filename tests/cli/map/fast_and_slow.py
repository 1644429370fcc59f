# One worker is a hundred times slower: when the fast one is out of work, the slow one has at most its current record.
import subprocess

WORKER = """
import os, sys, time
slow = os.environ["FIBER_RANK"] == "0"
for line in sys.stdin:
    start = time.time()
    time.sleep(0.5 if slow else 0.005)
    print(os.environ["FIBER_RANK"], start, time.time(), flush=True)
"""
RECORDS = 400
tasks = "".join(f"{number}\n" for number in range(RECORDS))
done = subprocess.run(["fiber", "map", "-q", "-n", "2", "--", "python3", "-u", "-c", WORKER], input=tasks, text=True, capture_output=True)
rows = [line.split() for line in done.stdout.splitlines()]
fast_end = max(float(end) for rank, _, end in rows if rank == "1")
slow = [(float(start), float(end)) for rank, start, end in rows if rank == "0"]
late = [start for start, _ in slow if start > fast_end + 0.05]
print("exit", done.returncode, "replies", len(rows), done.stderr)
print("the slow one took", "some" if 1 <= len(slow) <= 20 else len(slow), "records")
print("begun by the slow one while the fast one was idle:", len(late))
