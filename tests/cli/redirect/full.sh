# A full disk is told.
seq 5 | fiber map -q -n 1 -- cat >/dev/full
echo "exit $?"
