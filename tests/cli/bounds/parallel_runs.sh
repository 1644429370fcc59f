# alone
# Two hundred runs at the same time in one folder.
runs=$((200 / SCALE))
printf 'workers: {run: cat, count: 1}\n' >job.yaml
for i in $(seq $runs); do
  { seq "$i" $((i + 50)) | fiber run -q job.yaml >"out.$i" 2>"err.$i"; echo $? >"code.$i"; } &
done
wait
good=0
for i in $(seq $runs); do
  if [ "$(cat "code.$i")" = 0 ] && [ ! -s "err.$i" ] && cmp -s "out.$i" <(seq "$i" $((i + 50))); then good=$((good + 1))
  else echo "run $i: exit $(cat "code.$i")"; head -n 3 "err.$i"; fi
done
[ $good = $runs ] && echo "all good"
[ "$(ls "$XDG_STATE_HOME/fiber/runs" | wc -l)" -ge $((runs > 199 ? 199 : runs)) ] && echo "all recorded"
