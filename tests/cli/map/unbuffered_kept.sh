# PYTHONUNBUFFERED is the user's if the user set it; the caller's variables reach a local member.
export PYTHONUNBUFFERED=x MINE='a b'
echo | fiber map -q -n 1 -- sh -c 'read -r _; echo "$PYTHONUNBUFFERED $MINE"'
echo | fiber map -q -n 1 -e MINE=other -e TERM -- sh -c 'read -r _; echo "$MINE $TERM"'
