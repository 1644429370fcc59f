# All mistakes in one go, each with its place.
cat >job.yaml <<'Y'
fiber: 1
nmae: train
backend: lokal
master: [python3, master.py]
workers:
  run: cat
  count: 0
  env: [A, B]
limits: {run: soon}
Y
fiber run job.yaml
echo "exit $?"
