# An agent that is stopped does not keep a run from ending.
mkfifo feed
exec 3<>feed
fiber map -q -n 2 --set limits.grace=1s -- cat <feed &
until agent=$(pgrep -n -f "fiber agent ipc://$TMPDIR/") && pgrep -P "$agent" >/dev/null; do sleep 0.1; done
kill -STOP "$agent"
kill -TERM "$(ps -o ppid= "$agent")"
wait $!
echo "exit $?"
exec 3>&-
rm feed
