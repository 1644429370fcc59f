# ./fiber.yaml is the default; a missing one is told.
fiber run; echo "exit $?"
printf 'workers: {run: cat, count: 1}\n' >fiber.yaml
echo a | fiber run -q; echo "exit $?"
