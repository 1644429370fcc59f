# Workers that buffer, and input that comes or ends after they were found out: slow, never stuck.
(seq 5; sleep 7; seq 6 10) | fiber map -q -n 1 -- awk '{print $1 * 2}'
echo "exit $?"
# A master that waits for each answer before it writes on.
cat >job.yaml <<'Y'
master: |
  for n in 1 2; do echo $n; read -r reply; echo "$reply" >>"$FIBER_STDOUT"; done
workers: exec awk '{print $1 * 2}'
Y
fiber run -q job.yaml
