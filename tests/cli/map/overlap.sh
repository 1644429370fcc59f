# Four records of one second on four workers run at the same time: each begins before the first ends.
seq 4 | fiber map -q -n 4 -- sh -c 'while read x; do a=$(date +%s%N); sleep 1; echo "$a $(date +%s%N)"; done' |
  awk '{ if (!first_end || $2 < first_end) first_end = $2; if ($1 > last_start) last_start = $1 }
       END { print NR, (last_start < first_end ? "at the same time" : "one after the other") }'
