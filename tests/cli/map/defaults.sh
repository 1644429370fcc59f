# Without -n there is a worker per core granted; options end at the first word; -j is -n; -- may be left out.
seq 50 | fiber map -q cat | cmp - <(seq 50) && echo same
seq 50 | fiber map -q -j 3 sh -c 'while read -r x; do echo "$FIBER_SIZE"; done' | sort -u
echo x | fiber map -q -n 1 grep -n x
