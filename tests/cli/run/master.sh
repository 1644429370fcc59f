# A master writes tasks, reads replies in its order until end of file; its result goes to FIBER_STDOUT.
cat >master.sh <<'S'
seq 100
exec >&-
sum=0 count=0
while read -r x; do sum=$((sum + x)) count=$((count + 1)); done
echo "$count replies, sum $sum" >"$FIBER_STDOUT"
S
cat >job.yaml <<'Y'
fiber: 1
master: [sh, master.sh]
workers:
  run: while read -r x; do echo $((x * x)); done
  count: 3
Y
fiber run -q job.yaml
echo "exit $?"
seq 100 | awk '{ s += $1 * $1 } END { print s }'
