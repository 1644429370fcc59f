# Exit code 75 asks for another try, which is not counted.
seq 3 | fiber map -q -n 1 -- sh -c 'while read -r x; do [ "$x" = 2 ] && mkdir mark 2>/dev/null && exit 75; echo "$x"; done'
echo "exit $?"
