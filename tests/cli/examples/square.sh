seq 100 | fiber run -q "$SOURCE/configs/square.yaml" | cmp - <(seq 100 | awk '{print $1 * $1}') && echo same
seq 3 >numbers
fiber run -q "$SOURCE/configs/square.yaml" <numbers
