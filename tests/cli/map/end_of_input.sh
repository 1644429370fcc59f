# Programs that answer only at end of file get one once nothing is left to hand out.
printf 'hello\n' | fiber map -q -n 1 -- tr a-z A-Z
seq 5 | fiber map -q -n 1 -- awk '{print $1 * 2}'
seq 3 | fiber map -q -n 3 -- sort
