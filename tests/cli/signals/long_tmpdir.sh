# A TMPDIR too long for a socket's name does no harm, and nothing is left beside it.
long=$TMPDIR/$(printf 'x%.0s' $(seq 200))
mkdir "$long"
seq 10 | TMPDIR=$long fiber map -q -n 2 -- cat | cmp - <(seq 10) && echo same
find "$long" -mindepth 1
find /tmp -maxdepth 2 -name "*$(ls "$XDG_STATE_HOME/fiber/runs")*" -not -path "$XDG_STATE_HOME/*"
rmdir "$long"
