# alone
# Learns, reaches its mark, and gives the same figures on any number of workers.
fiber run -q "$SOURCE/configs/es.yaml" >full
echo "exit $?"
tail -n 1 full | grep -o '^solved'
for workers in 1 5; do
  fiber run -q -n $workers "$SOURCE/configs/es.yaml" -- --generations 3 2>/dev/null | grep generation >short
  [ -s short ] && head -n 3 full | cmp - short && echo "the same with $workers"
done
