# A worker that leaves out an answer is named when it ends owing one, also with -q.
seq 100 | fiber map -q -n 1 -- sh -c 'while read -r x; do [ "$x" = 50 ] || echo "$x"; done' 2>err >out
echo "exit $?"
cat err
