# A folder as stdin is a clear error.
mkdir folder
fiber map -q -n 1 -- cat <folder
echo "exit $?"
