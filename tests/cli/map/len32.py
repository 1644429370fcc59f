# Binary records of 0 bytes to 5 MiB in len32, through cat and through a program that answers each one turned round.
import os
import random
import struct
import subprocess

SCALE = int(os.environ["SCALE"])
REVERSE = """
import struct, sys
while head := sys.stdin.buffer.read(4):
    body = sys.stdin.buffer.read(struct.unpack(">I", head)[0])
    sys.stdout.buffer.write(head + body[::-1])
    sys.stdout.buffer.flush()
"""


def packed(records):
    return b"".join(struct.pack(">I", len(record)) + record for record in records)


source = random.Random(7)
largest = 5 * 1024 * 1024
sizes = [0, 1, 65535, 65536, 65537, 1 << 20, (1 << 20) + 1, largest] + [int(2 ** source.uniform(0, 21)) for _ in range(992 // SCALE)]
records = [source.randbytes(size) for size in sizes]
with open("tasks", "wb") as file:
    file.write(packed(records))
for name, command, wanted in (("cat", ["cat"], records), ("reverse", ["python3", "-c", REVERSE], [r[::-1] for r in records])):
    with open("tasks", "rb") as tasks, open("results", "wb") as results:
        done = subprocess.run(["fiber", "map", "-q", "-n", "3", "--framing", "len32", "--", *command], stdin=tasks, stdout=results)
    with open("results", "rb") as results:
        print(name, "exit", done.returncode, "same" if results.read() == packed(wanted) else "different")
