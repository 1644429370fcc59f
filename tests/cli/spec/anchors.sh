# Anchors and merge keys.
cat >job.yaml <<'Y'
x-base: &base {count: 2}
x-text: &text "sed -u 's/^/>/'"
workers: {<<: *base, run: *text}
Y
echo a | fiber run -q job.yaml
echo "exit $?"
