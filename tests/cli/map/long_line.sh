# One line of 20 MB.
head -c 20000000 /dev/zero | tr '\0' x >line
echo >>line
fiber map -q -n 2 -- cat <line | cmp - line && echo same
