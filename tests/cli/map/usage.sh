# Wrong usage is 125 and a line that helps.
try() { fiber "$@" </dev/null; echo "exit $?"; }
try map
try map -n 0 -- cat
try map -n many -- cat
try map --framing words -- cat
try map --no-such-flag -- cat
try run --no-such-flag
try no-such-verb
try
