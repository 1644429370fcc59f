# A string command that its shell cannot find or execute ends the run as a list would.
printf 'workers: ./nowhere 2>/dev/null\n' >a.yaml
seq 3 | fiber run -q a.yaml
echo "exit $?"
touch file
printf 'workers: ./file 2>/dev/null\n' >b.yaml
seq 3 | fiber run -q b.yaml
