# A program that does not exist, and one that may not be executed.
seq 3 | fiber map -n 2 -- ./no-such-program >out
echo "exit $?"
echo 'echo hello' >script
seq 3 | fiber map -n 2 -- ./script >>out
echo "exit $?"
wc -c <out
