# Members' stderr is shown line by line with its member's name; the result stays clean.
cat >job.yaml <<'Y'
master: 'echo from the master >&2; echo 1; read -r x; printf unfinished >&2; echo result >"$FIBER_STDOUT"'
workers: {run: 'while read -r x; do echo "got $x" >&2; printf "\033[31mred\a\n" >&2; echo; done', count: 1}
Y
fiber run -q --color never job.yaml 2>err
sort err | cat -v
for style in raw none; do
  echo "-- $style"
  fiber run -q --logs $style job.yaml 2>&1 >/dev/null | sort | cat -v
done
ls "$XDG_STATE_HOME"/fiber/runs/*/logs | sort -u | grep -v '^/' | grep .
