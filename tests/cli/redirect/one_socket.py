# One socket as stdin and stdout, as a super-server gives it.
import socket
import subprocess

ours, theirs = socket.socketpair()
child = subprocess.Popen(["fiber", "map", "-q", "-n", "2", "--", "cat"], stdin=theirs, stdout=theirs)
theirs.close()
ours.sendall(b"".join(b"%d\n" % number for number in range(1000)))
ours.shutdown(socket.SHUT_WR)
back = b""
while part := ours.recv(65536):
    back += part
print("exit", child.wait(), "same" if back == b"".join(b"%d\n" % n for n in range(1000)) else back[:200])
