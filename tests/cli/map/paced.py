"""Input that comes in small bursts: members run dry and get work again all the time."""
import subprocess
import sys
import time

FEEDS = {"cat": (["cat"], 200000, 1000), "shell": (["sh", "-c", "while read -r x; do echo $x; done"], 20000, 100)}
for name, (worker, count, burst) in FEEDS.items():
    for members in ("2", "3"):
        with open("out", "wb") as out:
            run = subprocess.Popen(["fiber", "map", "-q", "-n", members, "--", *worker], stdin=subprocess.PIPE, stdout=out)
            for start in range(0, count, burst):
                run.stdin.write(b"".join(b"%d\n" % n for n in range(start, start + burst)))
                run.stdin.flush()
                time.sleep(0.0005)
            run.stdin.close()
            code = run.wait(timeout=120)
        with open("out", "rb") as out:
            right = out.read() == b"".join(b"%d\n" % n for n in range(count))
        print(name, members, code, "right" if right else "wrong")
