# The run's code is the master's; a program that is missing 127, not executable 126.
try() {
  printf 'master: %s\nworkers: {run: cat, count: 1}\n' "$1" >job.yaml
  fiber run -q job.yaml
  echo "-- $1: exit $?"
}
try 'exit 0'
try 'exit 7'
try 'kill -9 $$'
try 'kill -TERM $$'
try 'echo a; read -r x; exit 3'
touch plain
try '[./no-such-program]'
try '[./plain]'
