# Output before a record was taken.
(sleep 1; seq 3) | fiber map -n 1 -- sh -c 'echo ready; cat' >out 2>err
echo "exit $?"
cat out err
