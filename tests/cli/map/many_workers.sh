# More workers than records or cores.
seq 200 | fiber map -q -n 64 -- cat | cmp - <(seq 200) && echo same
seq 2 | fiber map -q -n 32 -- cat
