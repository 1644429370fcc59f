# Regular files on both sides, and one that is appended to twice.
seq 1000 >tasks
fiber map -q -n 2 -- cat <tasks >results && cmp tasks results && echo same
for _ in 1 2; do fiber map -q -n 2 -- cat <tasks >>twice || echo "exit $?"; done
cat tasks tasks | cmp - twice && echo twice
tail -n +501 tasks | { read -r _; fiber map -q -n 2 -- cat; } | head -n 1
