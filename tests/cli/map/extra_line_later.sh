# The extra line comes late: the replies before it are right, and the run fails.
seq 2000 | fiber map -q -n 1 -- sh -c 'while read -r x; do echo "$x"; [ "$x" != 1000 ] || { echo debug; sleep 3; }; done' >out 2>/dev/null
echo "exit $?"
head -n 1000 out | cmp - <(seq 1000) && echo "the first 1000 are right"
[ "$(grep -c . out)" -lt 2000 ] && echo "and not all were delivered"
