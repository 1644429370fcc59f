# Arguments arrive unchanged.
echo | fiber map -q -n 1 -- sh -c 'read -r _; printf "<%s>" "$@" | tr "\n" "~"; echo' name 'a b' '' "new
line" 'ü' '${X}' '%{x' "'\""
