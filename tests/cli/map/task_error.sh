# A worker that fails on a record: one error record, exit code 1.
seq 4 | fiber map -q -n 1 -- sh -c 'while read -r x; do [ "$x" = 2 ] && exit 3; echo "$x"; done' 2>err | cat -v
echo "exit ${PIPESTATUS[1]}"
cat err
