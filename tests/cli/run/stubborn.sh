# Members that ignore SIGTERM are killed after the grace.
cat >job.yaml <<'Y'
master: 'trap "" TERM; sleep 1000 & while :; do wait; done'
workers: {run: 'trap "" TERM INT; while :; do sleep 1; done', count: 2}
limits: {run: 300ms, grace: 300ms}
Y
fiber run -q job.yaml
echo "exit $?"
