# The replies come in input order, and nothing else is said.
seq 1000 | fiber map -q -n 4 -- sh -c 'while read x; do echo $((x*x)); done' >out
echo "exit $?"
seq 1000 | awk '{print $1*$1}' | cmp - out && wc -l <out
