# A reply that begins with byte 0x15 is the worker's word that the task failed.
printf 'a\nb\n' | fiber map -q -n 1 -- sh -c 'while read -r x; do [ "$x" = a ] && printf "\025no\n" || echo "$x"; done' 2>/dev/null | cat -v
echo "exit ${PIPESTATUS[1]}"
