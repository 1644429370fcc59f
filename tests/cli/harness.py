"""Runs one command-line case: tests/cli/GROUP/NAME.sh or .py, and compares with NAME.expected next to it.

The case runs in a private folder with private HOME, XDG_* and TMPDIR; `fiber` on its PATH is the binary under test.
Its exit code, stdout and stderr, with run ids, pids, times and paths replaced, must be those of NAME.expected
(written anew with --bless). Afterwards no process of the case, no socket, FIFO or scratch file may be left.
"""
import argparse
import ctypes
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
import uuid

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
PR_SET_CHILD_SUBREAPER = 36
GONE_WITHIN = 2.0  # seconds a process of an ended case may take to vanish


def environment(root, marker, fiber, kind):
    """What a case sees: nothing of the caller's but the path and the compiler's sanitizer settings."""
    passed = {k: v for k, v in os.environ.items() if k in ("PATH", "ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS")}
    os.symlink(fiber, os.path.join(root, "bin", "fiber"))
    return passed | {
        "PATH": os.path.join(root, "bin") + ":" + passed.get("PATH", "/usr/bin:/bin"),
        "HOME": os.path.join(root, "home"),
        "XDG_STATE_HOME": os.path.join(root, "state"),
        "XDG_CONFIG_HOME": os.path.join(root, "config"),
        "XDG_RUNTIME_DIR": os.path.join(root, "run"),
        "TMPDIR": os.path.join(root, "tmp"),
        "TERM": "dumb",
        "LC_ALL": "C.UTF-8",
        "PYTHONPATH": HERE,
        "PYTHONDONTWRITEBYTECODE": "1",
        "SOURCE": SOURCE,
        "KIND": kind,
        "SCALE": "1" if kind == "release" else "10",  # big cases divide their size by it
        "FIBER_TEST_ID": marker,
    }


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] not in (b"Z", b"X")
    except OSError:
        return False


def parent(pid):
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return int(file.read().rpartition(b")")[2].split()[1])
    except OSError:
        return 0


def belongs(pid, marker):
    """Started by the case: it has the marker, or was handed to us when its parent died."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            marked = b"FIBER_TEST_ID=" + marker.encode() in file.read().split(b"\0")
    except OSError:
        marked = False
    return marked or parent(pid) == os.getpid()


def reap():
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def processes(marker):
    pids = (int(name) for name in os.listdir("/proc") if name.isdigit())
    return [pid for pid in pids if pid != os.getpid() and alive(pid) and belongs(pid, marker)]


def command_of(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return "?"


def end_processes(marker):
    """Waits for the case's processes to vanish; kills and names those that do not."""
    until = time.monotonic() + GONE_WITHIN
    while left := processes(marker):
        reap()
        if time.monotonic() > until:
            break
        time.sleep(0.02)
    complaints = [f"left behind: process {pid}: {command_of(pid)}" for pid in left]
    while left:
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.02)
        reap()
        left = processes(marker)
    return complaints


def left_files(root):
    """Anything in the temporary folders (but the user's own empty fiber-UID), sockets or FIFOs in the state folder."""
    complaints = []
    for folder in ("tmp", "run"):
        mine = os.path.join(root, folder, f"fiber-{os.getuid()}")
        if os.path.isdir(mine) and not os.listdir(mine):
            os.rmdir(mine)
        for where, folders, names in os.walk(os.path.join(root, folder)):
            lowest = names + [name for name in folders if not os.listdir(os.path.join(where, name))]
            complaints += [f"left behind: {os.path.relpath(os.path.join(where, name), root)}" for name in sorted(lowest)]
    for folder, _, names in os.walk(os.path.join(root, "state")):
        for name in names:
            mode = os.lstat(os.path.join(folder, name)).st_mode
            if stat.S_ISSOCK(mode) or stat.S_ISFIFO(mode):
                complaints.append(f"left behind: {os.path.relpath(os.path.join(folder, name), root)}")
    return complaints


def run_ids(root):
    try:
        return sorted(os.listdir(os.path.join(root, "state", "fiber", "runs")), key=len, reverse=True)
    except OSError:
        return []


def normalise(text, root, fiber):
    for run in run_ids(root):
        text = text.replace(run, "RUN")
    text = text.replace(root, "/ROOT").replace(fiber, "/FIBER").replace(SOURCE, "/SOURCE")
    text = re.sub(r"\b(pid|process) \d+", r"\1 PID", text)
    text = re.sub(r"\b\d+(\.\d+)? (ns|us|µs|ms|s|min)\b", "TIME", text)
    return re.sub(r'"time":("[^"]*"|[0-9.]+)', '"time":"TIME"', text)


def render(code, out, err):
    def section(name, text):
        if not text:
            return ""
        return f"--- {name}\n{text}" + ("" if text.endswith("\n") else "\n(no newline)\n")

    return f"exit {code}\n" + section("stdout", out) + section("stderr", err)


def execute(case, root, marker, fiber, kind, limit):
    """Runs the case; its exit code (or 'timeout'), stdout and stderr."""
    command = ["bash", case] if case.endswith(".sh") else [sys.executable, case]
    with open(os.path.join(root, "out"), "w+b") as out, open(os.path.join(root, "err"), "w+b") as err:
        child = subprocess.Popen(command, cwd=os.path.join(root, "work"), stdin=subprocess.DEVNULL, stdout=out,
                                 stderr=err, env=environment(root, marker, fiber, kind), start_new_session=True)
        try:
            code = child.wait(limit)
        except subprocess.TimeoutExpired:
            code = f"timeout after {limit} s"
            child.kill()
            child.wait()
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode(errors="backslashreplace"))
    return code, *texts


def run_case(case, fiber, kind="release", limit=150):
    """What the case showed, normalised, and the complaints about what it left behind."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    root = tempfile.mkdtemp(prefix="fc-", dir="/tmp")
    marker = uuid.uuid4().hex
    try:
        for folder in ("bin", "home", "state", "config", "run", "tmp", "work"):
            os.mkdir(os.path.join(root, folder), 0o700)
        code, out, err = execute(case, root, marker, fiber, kind, limit)
        complaints = end_processes(marker) + left_files(root)
        marker = None
        return render(code, normalise(out, root, fiber), normalise(err, root, fiber)), complaints
    finally:
        if marker:  # interrupted
            end_processes(marker)
        shutil.rmtree(root, ignore_errors=True)


def differences(expected, shown):
    import difflib
    return "".join(difflib.unified_diff(expected.splitlines(True), shown.splitlines(True), "expected", "shown"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("case")
    parser.add_argument("--bless", action="store_true", help="write NAME.expected from what is shown")
    parser.add_argument("--fiber", default=os.environ.get("FIBER", os.path.join(SOURCE, "build/release/fiber")))
    parser.add_argument("--kind", default="release", help="release, debug, asan or tsan")
    arguments = parser.parse_args()
    fiber = os.path.abspath(arguments.fiber)
    if not os.access(fiber, os.X_OK):
        sys.exit(f"{fiber}: no such program; build it first")

    signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))
    shown, complaints = run_case(os.path.abspath(arguments.case), fiber, arguments.kind)
    wanted_file = os.path.splitext(arguments.case)[0] + ".expected"
    if shown == "exit 0\n":
        complaints.append("the case shows nothing: it cannot fail")
    if arguments.bless and not complaints and not shown.startswith("exit timeout"):
        with open(wanted_file, "w", encoding="utf-8") as file:
            file.write(shown)
    try:
        with open(wanted_file, encoding="utf-8") as file:
            expected = file.read()
    except FileNotFoundError:
        expected = ""
    if shown != expected:
        complaints.append("not as expected:\n" + differences(expected, shown))
    for complaint in complaints:
        print(complaint)
    sys.exit(1 if complaints else 0)


if __name__ == "__main__":
    main()
