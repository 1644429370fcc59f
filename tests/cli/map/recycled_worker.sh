# A worker that takes one record and leaves is started again.
seq 20 | fiber map -q -n 2 -- sh -c 'read -r x; echo "$x"' >out
echo "exit $?"
cmp out <(seq 20) && echo same
