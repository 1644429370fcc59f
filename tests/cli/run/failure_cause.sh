# A failed run ends with its cause: the member, how it ended, its last words.
printf 'master: "echo about to fail >&2; exit 9"\nworkers: {run: cat, count: 1}\n' >job.yaml
fiber run job.yaml 2>err
echo "exit $?"
cat err
