# A program that ends before it took a record, again and again, ends the run.
seq 3 | fiber map -n 2 -- sh -c 'exit 5' >out 2>err
echo "exit $?"
sed "s/workers.[01]/workers.N/" err
