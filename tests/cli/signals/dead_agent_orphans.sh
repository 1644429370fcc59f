# What an agent that was killed leaves running is killed at once, not at the end of the run.
mkfifo feed
fiber map -q -n 1 -- sh -c 'sleep 3341 & exec cat' <feed >out &
exec 3>feed
until old=$(pgrep -f '^sleep 3341$'); do sleep 0.1; done
kill -9 "$(pgrep -n -f "fiber agent ipc://$TMPDIR/")"
for _ in $(seq 100); do kill -0 "$old" 2>/dev/null || break; sleep 0.1; done
kill -0 "$old" 2>/dev/null && echo "the old one lives"
echo hello >&3
exec 3>&-
wait $!
echo "exit $?"
cat out
rm feed
