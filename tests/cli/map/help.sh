# Help goes to stdout and names what can be said.
fiber --version | sed 's/[0-9][0-9.]*/N/'
for verb in '' run map plan; do
  # shellcheck disable=SC2086
  fiber $verb --help >help 2>err || echo "exit $?"
  [ -s help ] && [ ! -s err ] && echo "fiber $verb --help: some text"
done
