# What a member finds: its environment, a private scratch folder, three descriptors, default signals.
echo | fiber map -q -n 1 -- sh -c 'read -r _
  [ -n "$FIBER_RUN" ] && echo "role $FIBER_ROLE rank $FIBER_RANK size $FIBER_SIZE attempt $FIBER_ATTEMPT" >&2
  [ -d "$FIBER_DIR" ] && [ "$(stat -c %a "$(dirname "$FIBER_DIR")")" = 700 ] && echo "a scratch folder in a private one" >&2
  echo "unbuffered $PYTHONUNBUFFERED" >&2
  python3 -c "
import os, signal, sys
print(\"descriptors\", sorted(int(fd) for fd in os.listdir(\"/proc/self/fd\"))[:-1], file=sys.stderr)
status = dict(line.split(\":\", 1) for line in open(\"/proc/self/status\"))
print(\"blocked\", status[\"SigBlk\"].strip(), file=sys.stderr)
"
  trap | grep -c . >&2
  grep SigIgn /proc/self/status >&2
  echo done'
echo "exit $?"
