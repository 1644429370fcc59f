# A file of 10 MB and a deep one are answered soon.
{ echo 'workers: {run: cat, count: 1}'; yes '# filler filler filler filler filler filler' | head -c 10000000; } >big.yaml
echo a | timeout 100 fiber run -q big.yaml; echo "exit $?"
{ printf 'x-deep: '; printf '[%.0s' $(seq 20000); } >deep.yaml
timeout 100 fiber run -q deep.yaml </dev/null >/dev/null 2>err; echo "exit $?"
wc -l <err
