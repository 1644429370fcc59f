"""The harness must fail where it should: each sample is a case that a careless harness would pass."""
import os
import sys
import tempfile
import textwrap
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness  # noqa: E402


def show(script, limit=20):
    with tempfile.NamedTemporaryFile("w", suffix=".sh") as case:
        case.write(textwrap.dedent(script))
        case.flush()
        return harness.run_case(case.name, "/bin/true", limit=limit)


class Harness(unittest.TestCase):
    def test_shows_code_stdout_and_stderr(self):
        shown, complaints = show("echo out; printf err >&2; exit 3")
        self.assertEqual(shown, "exit 3\n--- stdout\nout\n--- stderr\nerr\n(no newline)\n")
        self.assertEqual(complaints, [])

    def test_finds_a_process_with_the_marker(self):
        _, complaints = show("setsid sleep 100 >/dev/null 2>&1 &")
        self.assertRegex("\n".join(complaints), r"process \d+: sleep 100")

    def test_finds_an_orphan_without_the_marker(self):
        _, complaints = show("(env -i setsid sleep 100 >/dev/null 2>&1 &)")
        self.assertRegex("\n".join(complaints), r"process \d+: sleep 100")

    def test_ends_what_it_found(self):
        show("setsid sleep 98765 >/dev/null 2>&1 &")
        running = [harness.command_of(pid) for pid in os.listdir("/proc") if pid.isdigit()]
        self.assertNotIn("sleep 98765", running)

    def test_a_hang_ends(self):
        shown, _ = show("sleep 100", limit=1)
        self.assertTrue(shown.startswith("exit timeout"))

    def test_finds_scratch_files_and_sockets(self):
        _, complaints = show("""
            mkdir "$TMPDIR/x"; mkdir -p "$XDG_STATE_HOME/fiber/runs/abc"; mkfifo "$XDG_STATE_HOME/fiber/runs/abc/f"
            """)
        self.assertEqual(complaints, ["left behind: tmp/x", "left behind: state/fiber/runs/abc/f"])

    def test_replaces_what_differs_between_runs(self):
        shown, _ = show("""
            mkdir -p "$XDG_STATE_HOME/fiber/runs/abc123"
            echo "abc123 pid 77 took 1.5 s in $PWD"
            """)
        self.assertIn("RUN pid PID took TIME in /ROOT/work\n", shown)

    def test_has_its_own_folders(self):
        shown, _ = show('echo "$HOME $TMPDIR"; command -v fiber')
        self.assertIn("/ROOT/home /ROOT/tmp\n/ROOT/bin/fiber\n", shown)


if __name__ == "__main__":
    unittest.main()
