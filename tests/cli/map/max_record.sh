# A record over max_record fails, with its size and the limit; the others do not.
{ echo small; head -c 2000 /dev/zero | tr '\0' x; echo; echo last; } >tasks
cat >job.yaml <<'Y'
fiber: 1
io: {max_record: 1Ki}
workers: {run: cat, count: 1}
Y
fiber run -q job.yaml <tasks 2>err | cat -v
echo "exit ${PIPESTATUS[0]}"
