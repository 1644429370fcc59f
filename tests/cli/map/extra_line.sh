# A worker that prints an extra line is reported, never believed.
seq 100 | fiber map -n 1 -- sh -c 'while read -r x; do echo debug; echo "$x"; done' >out 2>err
echo "exit $?"
sed -n "1s/record [0-9]*/record N/; 1s/is: .*\\. Does/is: X. Does/p" err
