# ${...} is expanded at load time; $x, $1 and $$ are the command's.
cat >job.yaml <<'Y'
env: {A: "${SET}", B: "${UNSET:-default}", C: "${EMPTY-kept}", D: "${SET:+there}", E: '$${SET}'}
workers:
  run: 'while read -r x; do echo "$A|$B|$C|$D|$E|$x"; done'
  count: "${N:-2}"
Y
echo in | SET=s EMPTY='' fiber run -q job.yaml
printf 'env: {A: "${NOT_SET}", B: "${ALSO_NOT:?give it}"}\nworkers: {run: "echo ${x%%.*}", count: 1}\n' >bad.yaml
echo in | fiber run -q bad.yaml
echo "exit $?"
printf 'env: {MUST: }\nworkers: {run: "read x; echo $MUST", count: 1}\n' >must.yaml
echo in | fiber run -q must.yaml; echo "exit $?"
echo in | fiber run -q -e MUST=yes must.yaml; echo "exit $?"
