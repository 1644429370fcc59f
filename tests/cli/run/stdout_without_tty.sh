# No progress, no colours off a terminal; -q leaves errors and members' output only.
seq 3 | fiber map -q -n 1 -- sh -c 'while read -r x; do echo note >&2; echo "$x"; done' 2>err
cat -v err
