# A reader that leaves after one line ends the run.
yes | fiber map -q -n 2 -- cat | head -n 1
echo "${PIPESTATUS[1]}"
