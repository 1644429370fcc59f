# Ctrl-C on a terminal: the first lets running tasks finish and says so; the second kills. Nothing is left.
import os

import terminal
import watch

WORKER = 'while read x; do touch "started.$x"; sleep 1; echo "done $x"; done'
with terminal.Terminal(["bash", "-c", "seq 100 | fiber map -n 2 -- sh -c '" + WORKER + "' >out"]) as run:
    watch.until(lambda: os.path.exists("started.2"))
    pids = watch.ours("sh")
    run.type("\x03")
    print("exit", run.wait(), "workers:", len(pids) >= 2, "all gone:", watch.gone(pids))
    started = len([name for name in os.listdir(".") if name.startswith("started.")])
    replies = open("out").read().splitlines()
    print("started were finished:", len(replies) == started, "not all were started:", started < 100)
    print("said so:", "finish" in run.screen or "drain" in run.screen or run.screen)
