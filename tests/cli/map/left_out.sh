# A worker that leaves out an answer is named when it ends owing one.
seq 100 | fiber map -n 1 -- sh -c 'while read -r x; do [ "$x" = 50 ] || echo "$x"; done' 2>err >out
echo "exit $?"
grep -c 'Did it leave out an answer' err
