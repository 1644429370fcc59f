# alone
# An endless input whose reader leaves: bounded memory and disk, and all ends with the reader.
import os
import subprocess

import watch

count = 5_000_000 // int(os.environ["SCALE"])
with watch.Peak() as peak:
    done = subprocess.run(["bash", "-c", f'yes | fiber map -q -n 2 -- cat | head -n {count} | wc -l; echo "${{PIPESTATUS[@]}}"'],
                          capture_output=True, text=True)
lines = done.stdout.split("\n")
print("lines", "as asked" if lines[0] == str(count) else lines, "codes", lines[1])
print("watched head and agent:", len(peak.seen) >= 2)
limit = 256 if os.environ["KIND"] == "release" else 1500
print("memory below the limit:", peak.memory < limit * 1024 or f"{peak.memory} KiB")
print("disk below 16 MiB:", peak.disk < 16 << 20 or peak.disk)
print(done.stderr, end="")
