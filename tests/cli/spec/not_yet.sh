# What this version cannot do is refused by name, never left out in silence.
cat >job.yaml <<'Y'
backend: slurm
workers: {run: cat, mode: exec, resources: {cpu: 2}}
channels: {tasks: {type: queue, from: workers, to: workers}}
matrix: {lr: [0.1, 0.2]}
outputs: [results/]
secrets: [TOKEN]
Y
fiber run job.yaml </dev/null
echo "exit $?"
