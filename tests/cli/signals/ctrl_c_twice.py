# The second Ctrl-C kills.
import os

import terminal
import watch

with terminal.Terminal(["bash", "-c", "seq 100 | fiber map -n 2 -- sh -c 'touch up.$FIBER_RANK; sleep 1000 & wait'"]) as run:
    watch.until(lambda: len(watch.ours("sleep")) == 2)
    pids = watch.ours()
    pids.remove(run.pid)
    run.type("\x03")
    run.wait_for(r"\^C[^\^]+\n|drain|finish|again")
    run.type("\x03")
    print("exit", run.wait(), "all gone:", watch.gone(pids))
