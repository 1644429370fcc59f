# limits.run and --timeout end the run with 124 and leave nothing.
cat >job.yaml <<'Y'
master: sleep 1000
workers: {run: cat, count: 1}
limits: {run: 300ms, grace: 1s}
Y
fiber run -q job.yaml
echo "exit $?"
echo x | fiber map -q -n 1 --timeout 300ms --set limits.grace=300ms -- sh -c 'read -r x; trap "" TERM; while :; do sleep 1; done' &
wait $!
echo "exit $?"
