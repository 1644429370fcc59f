# Files that are no job spec: a clear error, 125.
try() { timeout 60 fiber run -q "$1" </dev/null; echo "-- $1: exit $?"; }
mkdir folder.yaml
: >empty.yaml
printf '# only a comment\n' >comment.yaml
printf 'workers: {run: cat}\n---\nworkers: {run: cat}\n' >two_documents.yaml
printf 'workers: {run: cat}\nworkers: {run: tac}\n' >duplicate.yaml
printf 'workers: {run: cat, run: tac}\n' >duplicate_inside.yaml
printf 'workers:\n\trun: cat\n' >tab.yaml
printf '%%x: 1\n' >percent.yaml
printf 'workers:\n  run: %%{rank}\n' >percent_value.yaml
printf 'workers: {run: cat, env: {A: ${X}}}\n' >brace.yaml
printf -- '- a\n- b\n' >list.yaml
printf 'hello\n' >text.yaml
printf 'workers: {run: cat\n' >open.yaml
printf 'workers: {run: "\377\376"}\n' >bytes.yaml
printf 'a\0b: 1\n' >zero.yaml
printf 'fiber: 2\nworkers: {run: cat}\n' >version.yaml
printf 'workers: {run: [cat], count: {min: 4, max: 2}}\n' >elastic.yaml
printf 'workers: {run: [cat], count: 99999999999999999999}\n' >huge.yaml
for file in missing.yaml folder.yaml empty comment two_documents duplicate duplicate_inside tab percent percent_value brace list \
  text open bytes zero version elastic huge; do
  try "${file%.yaml}.yaml"
done
