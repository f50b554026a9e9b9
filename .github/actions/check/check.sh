#!/usr/bin/env bash
# Runs `calibrate check` on the inputs, which the environment has as HASHCOST_*.
set -euo pipefail
# shellcheck source=.github/actions/check/isolate.sh
source "$GITHUB_ACTION_PATH/isolate.sh"

options=()
costs=()

# A single value; of two lines, the second could pass for an output of the step.
take() {
    local name=$1 variable=HASHCOST_${1^^}
    local value=${!variable:-}
    if [[ $value == *$'\n'* || $value == *$'\r'* ]]; then
        echo "calibrate check: the input $name has more than one line" >&2
        exit 2
    fi
    if [[ -n $value ]]; then
        options+=("--$name=$value")
    fi
}

# The lines of a value, without the space around them and without empty ones.
lines_of() {
    local line
    while IFS= read -r line || [[ -n $line ]]; do
        line=${line%$'\r'}
        line=${line#"${line%%[![:space:]]*}"}
        line=${line%"${line##*[![:space:]]}"}
        if [[ -n $line ]]; then
            printf '%s\n' "$line"
        fi
    done <<<"$1"
}

for name in target profile max config; do
    take "$name"
done
while IFS= read -r line; do
    options+=("--policy=$line")
done < <(lines_of "${HASHCOST_POLICY:-}")
while IFS= read -r line; do
    costs+=("$line")
done < <(lines_of "${HASHCOST_COSTS:-}")

case ${HASHCOST_ACCEPT:-true} in
true) ;;
false) options+=(--no-accept) ;;
*)
    echo "calibrate check: the input accept is neither true nor false" >&2
    exit 2
    ;;
esac

name=${HASHCOST_SARIF:-}
if [[ $name == *$'\n'* || $name == *$'\r'* ]]; then
    echo "calibrate check: the input sarif has more than one line" >&2
    exit 2
fi
if [[ $name == */* || $name == . || $name == .. ]]; then
    echo "calibrate check: the input sarif must be a file name without a folder" >&2
    exit 2
fi

# Results go into new folders outside the checkout, so that no committed file passes for one and
# no committed link is followed.
private=$(mktemp -d "$RUNNER_TEMP/hashcost-private.XXXXXX")
trap 'rm -rf "$private"' EXIT
annotations=$private/annotations
options+=("--report=github=$annotations")
sarif=
if [[ -n $name ]]; then
    sarif=$(mktemp -d "$RUNNER_TEMP/hashcost-sarif.XXXXXX")/$name
    options+=("--report=sarif=$sarif")
fi

# What is shown for people quotes files that anyone may have written: no command is read from it.
token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
echo "::stop-commands::$token"
code=0
"$RUNNER_TEMP/hashcost/bin/python" -I -m hashcost \
    check "${options[@]}" -- "${costs[@]}" </dev/null || code=$?
echo
echo "::$token::"
if [[ -f $annotations ]]; then
    cat "$annotations"
fi

if [[ -n $sarif ]]; then
    if [[ -s $sarif ]]; then
        echo "sarif=$sarif" >>"$GITHUB_OUTPUT"
    else
        rm -rf "${sarif%/*}"
    fi
fi
exit "$code"
