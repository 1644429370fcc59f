# With a master, fiber leaves its stdin alone: a shell loop runs once per line.
printf 'master: "true"\nworkers: {run: cat, count: 1}\n' >job.yaml
seq 5 >list
while read -r x; do
  fiber run -q job.yaml || echo "exit $?"
  echo "line $x"
done <list
