# The plan can be read before anything runs.
cat >job.yaml <<'Y'
name: train
env: {LR: "${LR:-0.1}"}
master: [python3, master.py]
workers:
  run: ./simulate
  count: 4
Y
fiber plan job.yaml
fiber plan job.yaml >one; fiber run --dry-run job.yaml >two; cmp one two && echo "the same with --dry-run"
ls "$XDG_STATE_HOME" | wc -l
