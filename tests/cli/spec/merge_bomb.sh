# Aliases of aliases do not blow up.
{
  echo 'x-a: &a [b, b, b, b, b, b, b, b, b]'
  last=a
  for name in b c d e f g h i j; do
    echo "x-$name: &$name [*$last, *$last, *$last, *$last, *$last, *$last, *$last, *$last, *$last]"
    last=$name
  done
  echo 'workers: {run: cat, count: 1}'
} >bomb.yaml
([ "$KIND" != release ] || ulimit -v 4000000; echo a | timeout 60 fiber run -q bomb.yaml); echo "exit $?"
