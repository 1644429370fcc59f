# With an envelope a worker may print to stdout and answer in any order: here two at a time, swapped.
seq 6 | fiber map -q -n 1 --envelope id -- awk -F '\t' '{print "noise"; print $1 "\t" $2 * 10; fflush()}'
echo "exit $?"
