# A last line without a newline counts; empty lines are records.
printf 'a\n\nb' | fiber map -q -n 2 -- sed -u 's/^/>/'
