# A master that leaves while tasks are under way ends the run with its code.
cat >job.yaml <<'Y'
master: seq 100; exit 4
workers: {run: 'while read -r x; do sleep 0.01; echo "$x"; done', count: 2}
Y
fiber run -q job.yaml >out
echo "exit $?"
wc -c <out
