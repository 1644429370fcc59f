# The job of the README, as it stands there.
awk '/^```/ { file = ""; fresh = 1; next } fresh { fresh = 0; if ($1 == "#" && NF == 2) file = $2 } file { print >file }' "$SOURCE/README.md"
ls
fiber run -q job.yaml
