# A master that waits for more without having closed its stdout is told so, once.
cat >job.yaml <<'Y'
limits: {run: 8s, grace: 1s}
master:
  run: [python3, -c, "import sys\nprint(1, flush=True)\nfor line in sys.stdin: sys.stderr.write(line)"]
workers: cat
Y
fiber run job.yaml
