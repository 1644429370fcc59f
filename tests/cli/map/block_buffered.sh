# A worker that answers by the buffer is slow, never stuck, and fiber says why.
seq 1000 | fiber map -n 2 -- tr 0-9 a-j >out 2>err
echo "exit $?"
seq 1000 | tr 0-9 a-j | cmp - out && echo same
grep -c -i buffer err
