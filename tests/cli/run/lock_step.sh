# A master may wait for each reply before it writes the next task.
cat >master.py <<'S'
import os, sys
seen = []
for n in range(200):
    print(n, flush=True)
    seen.append(int(sys.stdin.readline()))
with open(os.environ["FIBER_STDOUT"], "w") as result:
    print("in step" if seen == list(range(200)) else seen, file=result)
S
printf 'master: python3 master.py\nworkers: {run: cat, count: 2}\n' >fiber.yaml
fiber run -q
