# Some mounts take files or run programs only, or neither.
HASHCOST_FOLDER=; export HASHCOST_FOLDER
trap 'rm -rf "$HASHCOST_FOLDER"' EXIT
trap 'exit 1' HUP INT TERM
for place in "${TMPDIR:-/tmp}" /dev/shm /var/tmp "$HOME" .; do
    HASHCOST_FOLDER=$(mktemp -d "$place/hashcost.XXXXXX" 2>/dev/null) || continue
    echo '#!/bin/sh' >"$HASHCOST_FOLDER/try" && chmod 700 "$HASHCOST_FOLDER/try"
    "$HASHCOST_FOLDER/try" 2>/dev/null && rm "$HASHCOST_FOLDER/try" && break
    rm -rf "$HASHCOST_FOLDER"
    HASHCOST_FOLDER=
done
[ -n "$HASHCOST_FOLDER" ] || { echo 'no folder takes a program' >&2; exit 1; }
base64 -d >"$HASHCOST_FOLDER"/NAME <<'END_OF_FILE' || exit 1
CONTENTEND_OF_FILE
chmod 700 "$HASHCOST_FOLDER"/NAME
