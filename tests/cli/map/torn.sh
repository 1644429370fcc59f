# Input that ends inside a record, and answers that end inside an answer.
printf '\0\0\0\1a\0\0\0\5ab' | fiber map -q --framing len32 -n 1 -- cat | od -An -c
echo "exit ${PIPESTATUS[1]}"
printf '\177\377\377\377ab' | fiber map -q --framing len32 -n 1 -- cat | tail -c +5
echo
seq 2 | fiber map -q -n 1 --reply many --retries 0 -- cat | tr '\025' '!'
