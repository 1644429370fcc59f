# A master that wants fiber's stdin opens FIBER_STDIN.
cat >job.yaml <<'Y'
master: cat "$FIBER_STDIN" >"$FIBER_STDOUT"
workers: {run: cat, count: 1}
Y
printf 'hello\nworld\n' | fiber run -q job.yaml
echo "exit $?"
head -c 1000000 /dev/zero | fiber run -q job.yaml | wc -c
