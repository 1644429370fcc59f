"""The processes of a case, their memory and their files."""
import os
import shutil
import threading
import time

MARKER = b"FIBER_TEST_ID=" + os.environ["FIBER_TEST_ID"].encode()


def read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def all_pids():
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def state(pid):
    return read(f"/proc/{pid}/stat").rpartition(b")")[2].split()[:1]


def program(pid):
    """The base name of what it runs; "fiber" for head and agents, whatever they call themselves."""
    try:
        if os.path.samefile(f"/proc/{pid}/exe", shutil.which("fiber")):
            return "fiber"
    except OSError:
        pass
    return os.path.basename(read(f"/proc/{pid}/cmdline").split(b"\0")[0]).decode(errors="replace")


def ours(name=None):
    """Living processes of this case, but the case itself; by the base name of the program, if given."""
    found = []
    for pid in all_pids():
        if pid == os.getpid() or state(pid) in ([], [b"Z"], [b"X"]) or MARKER not in read(f"/proc/{pid}/environ").split(b"\0"):
            continue
        if name is None or name in (program(pid), read(f"/proc/{pid}/comm").decode().strip()):
            found.append(pid)
    return found


def gone(pids, within=2.0):
    """True once none of them lives; False if one still does after this time."""
    until = time.monotonic() + within
    while any(state(pid) not in ([], [b"Z"], [b"X"]) for pid in pids):
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True


def until(condition, seconds=60):
    """Waits for the condition and returns its value; ends the case if it never holds."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        if time.monotonic() > end:
            raise SystemExit("waited in vain")
        time.sleep(0.01)
    return value


def children(pid):
    return [child for child in all_pids() if read(f"/proc/{child}/stat").rpartition(b")")[2].split()[1:2] == [str(pid).encode()]]


def kibibytes(pid, key):
    for line in read(f"/proc/{pid}/status").splitlines():
        if line.startswith(key.encode() + b":"):
            return int(line.split()[1])
    return 0


def disk(*folders):
    """Bytes in the files below, sockets and the like aside."""
    total = 0
    for folder in folders:
        for where, _, names in os.walk(folder):
            for name in names:
                try:
                    total += os.lstat(os.path.join(where, name)).st_blocks * 512
                except OSError:
                    pass
    return total


class Peak(threading.Thread):
    """Watches fiber's processes: the highest resident memory of one (KiB), the most disk used (bytes)."""

    def __init__(self):
        super().__init__(daemon=True)
        self.memory = self.disk = 0
        self.seen = set()
        self.done = threading.Event()

    def run(self):
        while not self.done.wait(0.05):
            self.look()

    def look(self):
        for pid in ours("fiber"):
            peak = kibibytes(pid, "VmHWM")
            self.seen.add(pid)
            self.memory = max(self.memory, peak)
        self.disk = max(self.disk, disk(os.environ["TMPDIR"], os.environ["XDG_STATE_HOME"]))

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.done.set()
        self.join()
