# Flag over variable over spec over the user's configuration.
cat >job.yaml <<'Y'
workers:
  run: 'while read -r x; do echo "$FIBER_SIZE"; done'
  count: 2
Y
echo | fiber run -q job.yaml
echo | FIBER_WORKERS=3 fiber run -q job.yaml
echo | FIBER_WORKERS=3 fiber run -q -n 4 job.yaml
echo | fiber run -q --set workers.count=5 job.yaml
echo | fiber run -q --set workers.cuont=5 job.yaml; echo "exit $?"
