# Named pipes on both sides.
mkfifo in out
seq 1000 >in &
cmp out <(seq 1000) && echo same &
fiber map -q -n 2 -- cat <in >out
echo "exit $?"
wait
rm in out
