#!/usr/bin/env bash
# Runs `calibrate check` on the inputs, which the environment has as HASHCOST_*.
set -euo pipefail

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

sarif=${HASHCOST_SARIF:-}
if [[ $sarif == *$'\n'* || $sarif == *$'\r'* ]]; then
    echo "calibrate check: the input sarif has more than one line" >&2
    exit 2
fi
if [[ -n $sarif ]]; then
    options+=("--report=sarif=$sarif")
fi

calibrate=$RUNNER_TEMP/hashcost/bin/calibrate
annotations=$(mktemp "$RUNNER_TEMP/hashcost-annotations.XXXXXX")
trap 'rm -f "$annotations"' EXIT
options+=("--report=github=$annotations")

# What is shown for people quotes files that anyone may have written: no command is read from it.
token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
echo "::stop-commands::$token"
code=0
"$calibrate" check "${options[@]}" -- "${costs[@]}" </dev/null || code=$?
echo
echo "::$token::"
cat "$annotations"

if [[ -n $sarif && -s $sarif ]]; then
    echo "sarif=$sarif" >>"$GITHUB_OUTPUT"
fi
exit "$code"
