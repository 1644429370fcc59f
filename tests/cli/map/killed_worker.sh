# A worker that is killed in the middle of the run loses nothing and doubles nothing.
mkdir marks
seq 1000 | fiber map -q -n 4 -- sh -c '
  while read -r x; do
    case $x in *50) mkdir "marks/$x" 2>/dev/null && kill -9 $$ ;; esac
    echo "$x"
  done' >out
echo "exit $?"
cmp out <(seq 1000) && echo same
ls marks | wc -l
