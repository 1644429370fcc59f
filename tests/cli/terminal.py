"""A program on a terminal of its own, for cases: type, wait for text, wait for the end."""
import fcntl
import os
import pty
import re
import select
import signal
import termios
import time

PATIENCE = 60  # seconds; a guard against hanging, not a measure


class Terminal:
    def __init__(self, command):
        self.screen = ""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            try:
                os.execvp(command[0], command)
            finally:
                os._exit(127)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        except (ProcessLookupError, ChildProcessError):
            pass
        os.close(self.fd)

    def type(self, text):
        os.write(self.fd, text.encode())

    def read(self, seconds):
        """Adds to the screen what comes within this time; False at the end of the terminal."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return True
        try:
            part = os.read(self.fd, 65536)
        except OSError:
            return False
        self.screen += part.decode(errors="replace")
        return bool(part)

    def wait_for(self, pattern):
        until = time.monotonic() + PATIENCE
        while not re.search(pattern, self.screen):
            if time.monotonic() > until or not self.read(0.1):
                raise SystemExit(f"never saw {pattern!r} on:\n{self.screen}")

    def wait(self):
        """The shell's exit code of the program."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            self.read(0.05)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                while self.read(0.05) and select.select([self.fd], [], [], 0)[0]:
                    pass
                code = os.waitstatus_to_exitcode(status)
                return code if code >= 0 else 128 - code
        raise SystemExit(f"did not end:\n{self.screen}")

    def foreground(self):
        """The process group that owns the terminal."""
        return int.from_bytes(fcntl.ioctl(self.fd, termios.TIOCGPGRP, b"\0" * 4), "little")
