"""Reads a task a line, plays its episodes, writes the mean return."""
import json
import sys

import strategy

for line in sys.stdin:
    task = json.loads(line)
    parameters = task["parameters"]
    if "noise" in task:
        step = task["sign"] * strategy.SIGMA
        parameters = [p + step * e for p, e in zip(parameters, strategy.noise(task["noise"]))]
    print(strategy.mean_return(parameters, task["episodes"]), flush=True)
