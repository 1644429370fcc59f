# A record that kills every worker is answered by an error record; the others by their replies.
seq 5 | fiber map -q -n 2 -- sh -c 'while read -r x; do [ "$x" = 3 ] && kill -9 $$; echo "$x"; done' 2>/dev/null | cat -v
echo "exit ${PIPESTATUS[1]}"
