# One regular file as input and output is refused, and not touched.
seq 5 >file
fiber map -q -n 1 -- cat <file 1<>file; echo "exit $?"
fiber map -q -n 1 -- cat <file >>file; echo "exit $?"
cmp file <(seq 5) && echo untouched
ln file other
fiber map -q -n 1 -- cat <file 1<>other 2>/dev/null; echo "exit $?"
