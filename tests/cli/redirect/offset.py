# A file is read from where the caller stood, and written where the caller stood.
import os
import subprocess

with open("tasks", "wb") as file:
    file.write(b"one\ntwo\nthree\n")
tasks = os.open("tasks", os.O_RDONLY)
os.lseek(tasks, 4, os.SEEK_SET)
results = os.open("results", os.O_WRONLY | os.O_CREAT)
os.write(results, b"before\n")
done = subprocess.run(["fiber", "map", "-q", "-n", "1", "--", "cat"], stdin=tasks, stdout=results)
os.write(results, b"after\n")
print(done.returncode, open("results").read().split())
