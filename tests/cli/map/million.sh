# A million records through cat, in order.
count=$((1000000 / SCALE))
seq $count | fiber map -q -n 2 -- cat >out
echo "exit $?"
seq $count | cmp - out && echo same
