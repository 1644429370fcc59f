# kill -9 of an agent in the middle: nothing is lost, nothing doubled, or the run says that it failed; nothing stays.
import subprocess
import threading

import watch

run = subprocess.Popen(["fiber", "map", "-q", "-n", "2", "--", "sh", "-c", "while read x; do sleep 0.01; echo $x; done"],
                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
tasks = b"".join(b"%d\n" % number for number in range(300))
threading.Thread(target=lambda: (run.stdin.write(tasks), run.stdin.close())).start()
first = run.stdout.readline()
agents = [pid for pid in watch.children(run.pid) if pid in watch.ours("fiber")]
members = [child for agent in agents for child in watch.children(agent)]
print("agents", len(agents), "members", len(members))
for pid in agents[:1]:
    subprocess.run(["kill", "-9", str(pid)])
gone = watch.gone(members)
out, err = run.stdout.read(), run.stderr.read()
run.wait()
print("members gone:", gone)
all_there = first + out == tasks
failed = run.returncode == 125 and tasks.startswith(first + out) and err
print("all replies, or a failure that is told:", run.returncode == 0 and all_there or bool(failed) or (run.returncode, err))
