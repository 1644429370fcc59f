# The same counts as a plain pipeline.
export LC_ALL=C
fiber run -q "$SOURCE/configs/wordcount.yaml" >counts
echo "exit $?"
find /usr/share/common-licenses -type f -exec sh -c 'for file; do cat "$file"; echo; done' sh {} + |
  tr A-Z a-z | tr -cs a-z '\n' | grep . | sort | uniq -c | sort -k1,1nr -k2,2 >wanted
cmp counts wanted && [ "$(wc -l <counts)" -gt 1000 ] && echo same
