# --json: one event a line on stderr, the last one the end; stdout is the results alone.
seq 3 | fiber map --json -n 1 -- sed -u 's/^/r/' 2>events
echo "exit $?"
python3 - <<'P'
import json
events = [json.loads(line) for line in open("events")]
print("all have v, time, event:", all({"v", "time", "event"} <= event.keys() for event in events))
print({key: events[-1][key] for key in ("event", "status", "code")})
P
