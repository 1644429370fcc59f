"""Which files belong to the project, for the scripts/check-* programs."""
import os
import subprocess
import sys


def root():
    """The tree to check: the first argument, else this repository."""
    return os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), ".."))


def files(top, *suffixes):
    """Paths relative to `top` of the files that git knows or would add; of all files where there is no repository."""
    if os.path.exists(os.path.join(top, ".git")):
        listed = subprocess.run(["git", "-c", "safe.directory=*", "ls-files", "-co", "--exclude-standard"], cwd=top,
                                check=True, capture_output=True, text=True).stdout.splitlines()
    else:
        listed = [os.path.relpath(os.path.join(folder, name), top)
                  for folder, _, names in os.walk(top) for name in names]
    present = (path for path in sorted(set(listed)) if os.path.isfile(os.path.join(top, path)))
    return [path for path in present if path.endswith(suffixes or "")]


def text(top, path):
    with open(os.path.join(top, path), encoding="utf-8", errors="replace") as file:
        return file.read()


def finish(complaints, checked):
    """Prints the complaints and exits: 0 only if something was checked and nothing was wrong."""
    for complaint in complaints:
        print(complaint)
    if not checked:
        sys.exit("nothing to check")
    print(f"{checked} checked, {len(complaints)} complaints")
    sys.exit(1 if complaints else 0)
