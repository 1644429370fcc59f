# A worker that drops the number of its record never answers: each record fails in the end.
seq 2 | fiber map -q -n 1 --envelope id --retries 0 --logs none -- sh -c 'while read -r i x; do echo "$x"; done' | tr '\025' '!'
echo "exit ${PIPESTATUS[1]}"
