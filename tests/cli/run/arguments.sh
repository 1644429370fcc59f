# ARGS are appended to the master's command, else to the workers'.
cat >job.yaml <<'Y'
master: [sh, -c, 'printf "<%s>" "$@" >"$FIBER_STDOUT"', name]
workers: {run: cat, count: 1}
Y
fiber run -q job.yaml -- 'a b' c; echo
printf 'workers: {run: [sed], count: 1}\n' >other.yaml
echo x | fiber run -q other.yaml -- 's/x/y z/'
