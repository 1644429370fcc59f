# Named pipes on both sides; the writer has left before fiber reads.
mkfifo in out
seq 1000 >in &
cat out >results &
fiber map -q -n 2 -- cat <in >out
echo "exit $?"
wait
cmp results <(seq 1000) && echo same
