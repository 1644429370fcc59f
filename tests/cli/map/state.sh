# The run's record on disk is the user's alone.
seq 3 | fiber map -q -n 1 -- cat >/dev/null
cd "$XDG_STATE_HOME/fiber/runs" && stat -c '%a %F' ./* | sort -u
cd ./* && ls
tail -n 1 events.jsonl | grep -o '"event":"end"'
