# No record: no reply, no failure.
fiber map -q -n 2 -- cat </dev/null
echo "exit $?"
