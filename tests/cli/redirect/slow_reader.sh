# A reader that takes its time loses nothing.
seq 300000 | fiber map -q -n 2 -- cat | { sleep 1; cmp - <(seq 300000); } && echo same
