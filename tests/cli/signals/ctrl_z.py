# Ctrl-Z stops the members too; fg goes on, and nothing is lost.
import subprocess
import time

import terminal
import watch


def states(pids):
    return {watch.state(pid)[0].decode() for pid in pids if watch.state(pid)}


with terminal.Terminal(["bash", "--norc", "-i"]) as shell:
    shell.type("PS1='ready> '\n")
    shell.wait_for("ready> ")
    shell.type("seq 60 | fiber map -q -n 2 -- python3 -uc 'import sys,time\nfor l in sys.stdin:\n time.sleep(.05); print(l, end=\"\")' >out; echo \"code $((40 + 2 + $?))\"\n")
    watch.until(lambda: len(watch.ours("python3")) == 2)
    workers = watch.ours("python3")
    shell.type("\x1a")
    shell.wait_for("Stopped")
    watch.until(lambda: states(workers) == {"T"})
    print("members stopped:", states(workers))
    before = open("out").read()
    time.sleep(0.5)
    print("nothing moves:", open("out").read() == before)
    shell.type("fg; echo \"end $((50 + 2))\"\n")
    shell.wait_for("end 52")
    print("all replies:", open("out").read() == "".join(f"{n}\n" for n in range(1, 61)))
    shell.type("exit\n")
    shell.wait()
