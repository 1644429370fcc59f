# Closed descriptors: no input is none; no output is a failure that is told; no stderr is nobody's harm.
fiber map -q -n 2 -- cat <&- ; echo "stdin closed: exit $?"
seq 5 | fiber map -q -n 1 -- cat >&-; echo "stdout closed: exit $?"
seq 5 | fiber map -n 1 -- cat 2>&-; echo "stderr closed: exit $?"
fiber map -q -n 1 -- cat <&- >&- 2>&-; echo "all closed: $(($? == 0 || $? == 125))"
