"""Reads a piece a line, writes the counts of its words. A line belongs to the piece in which it begins."""
import collections
import json
import re
import sys


def lines(path, start, end):
    with open(path, "rb") as file:
        if start > 0:
            file.seek(start - 1)
            file.readline()  # the rest of a line that belongs to the piece before
        while file.tell() < end and (line := file.readline()):
            yield line


for request in sys.stdin:
    counts = collections.Counter()
    for text in lines(**json.loads(request)):
        counts.update(word.decode() for word in re.findall(rb"[a-z]+", text.lower()))
    print(json.dumps(counts), flush=True)
