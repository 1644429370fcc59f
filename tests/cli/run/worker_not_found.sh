# A worker's program that is missing ends the run too, whatever the master does.
printf 'master: seq 3; cat\nworkers: {run: [no-such-program, 1], count: 2}\n' >job.yaml
fiber run -q job.yaml
echo "exit $?"
