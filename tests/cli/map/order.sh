# --order completion: a reply is passed on when it is there.
printf '1\n0\n' | fiber map -q -n 2 --order completion -- sh -c 'while read x; do sleep "$x"; echo "$x"; done'
printf '1\n0\n' | fiber map -q -n 2 -- sh -c 'while read x; do sleep "$x"; echo "$x"; done'
seq 1000 | fiber map -q -n 3 --order completion -- cat | sort -n | cmp - <(seq 1000) && echo complete
