#!/usr/bin/env bash
# Installs hashcost beside the job's own packages, which stay as they are and are the ones timed.
set -euo pipefail

version=${HASHCOST_VERSION:-}
if [[ -n $version && ! $version =~ ^[0-9][0-9A-Za-z.!+_-]*$ ]]; then
    echo "calibrate check: the input version is no version" >&2
    exit 2
fi
source=$GITHUB_ACTION_PATH/../../..
requirement="${source}[argon2]"
if [[ -n $version ]]; then
    requirement="hashcost[argon2]==$version"
fi

folder=$RUNNER_TEMP/hashcost
python3 -m venv --system-site-packages "$folder"
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check "$requirement"
