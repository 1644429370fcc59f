# Ranks, sizes, roles, the run's id, placeholders and the spec's folder.
mkdir sub
cat >sub/job.yaml <<'Y'
fiber: 1
env: {A: one, B: "${CALLER}"}
master:
  run: seq 3; read -r _; read -r _; read -r _; cat where.* | sort >"$FIBER_STDOUT"
workers:
  run: [sh, -c, 'while read -r x; do echo "$FIBER_ROLE $FIBER_RANK=%{rank} of $FIBER_SIZE=%{size} %{role} $A $B $C $(basename "$PWD") %%{x}" >where.$FIBER_RANK; sleep 0.3; echo; done']
  count: 3
  env: {C: three}
Y
CALLER=two fiber run -q sub/job.yaml
