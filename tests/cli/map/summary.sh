# Without -q the end says what was proved.
seq 100 | fiber map -n 2 -- cat | tail -n 1
