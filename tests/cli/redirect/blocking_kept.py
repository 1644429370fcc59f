# The caller's descriptors stay blocking: they are shared with other programs.
import fcntl
import os
import subprocess


def blocking(fd):
    return not fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_NONBLOCK


read_in, write_in = os.pipe()
read_out, write_out = os.pipe()
child = subprocess.Popen(["fiber", "map", "-q", "-n", "1", "--", "cat"], stdin=read_in, stdout=write_out)
os.write(write_in, b"a\n")
print(os.read(read_out, 10))
print("while it runs:", blocking(read_in), blocking(write_out), blocking(2))
os.close(write_in)
print("exit", child.wait(), "afterwards:", blocking(read_in), blocking(write_out), blocking(2))
