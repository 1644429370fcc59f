# Records that end in a zero byte may hold newlines.
printf 'a\nb\0\0c' | fiber map -q -n 1 --framing nul -- cat | od -An -c
