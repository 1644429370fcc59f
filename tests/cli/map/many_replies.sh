# reply: many: the lines up to an empty one are the answer.
cat >job.yaml <<'Y'
fiber: 1
io: {reply: many}
workers:
  run: while read -r x; do seq "$x"; echo; done
  count: 2
Y
seq 3 | fiber run -q job.yaml
