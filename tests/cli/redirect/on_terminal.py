# A terminal on all three: lines typed are answered, Ctrl-D ends.
import terminal

with terminal.Terminal(["fiber", "map", "-q", "-n", "1", "--", "sh", "-c", 'while read x; do echo "got $x"; done']) as run:
    run.type("one\n")
    run.wait_for("got one")
    run.type("two\n")
    run.wait_for("got two")
    run.type("\x04")
    print("exit", run.wait())
