# An agent that is stopped does not keep a run from ending: by a signal, by its limit.
(sleep 60 & echo $! >sleeper; exec sleep 60) | fiber map -q -n 2 --set limits.grace=1s -- cat &
until agent=$(pgrep -n -f "fiber agent ipc://$TMPDIR/") && pgrep -P "$agent" >/dev/null; do sleep 0.1; done
kill -STOP "$agent"
kill -TERM "$(ps -o ppid= "$agent")"
wait $!
echo "exit $?"
pkill -P $$ sleep
kill "$(cat sleeper)"
