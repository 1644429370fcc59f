# Nothing on either side: /dev/null.
fiber map -q -n 2 -- cat </dev/null; echo "exit $?"
seq 1000 | fiber map -q -n 2 -- cat >/dev/null; echo "exit $?"
fiber map -q -n 2 -- cat </dev/null >/dev/null; echo "exit $?"
