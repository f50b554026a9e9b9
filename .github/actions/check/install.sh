#!/usr/bin/env bash
# Installs hashcost beside the job's own packages, which stay as they are and are the ones timed.
set -euo pipefail
# shellcheck source=.github/actions/check/isolate.sh
source "$GITHUB_ACTION_PATH/isolate.sh"

repository=$(cd "$GITHUB_ACTION_PATH/../../.." && pwd -P)
# Python, pip and pyenv look into the working directory: work in an empty one.
empty=$(mktemp -d "$RUNNER_TEMP/hashcost-empty.XXXXXX")
trap 'rm -rf "$empty"' EXIT
cd "$empty"

folder=$RUNNER_TEMP/hashcost
python3 -I -m venv --clear --system-site-packages "$folder"
# From the repository that the action came with: nobody has registered the name hashcost.
"$folder/bin/python" -I -m pip install --quiet --disable-pip-version-check \
    "${repository}[argon2,apps,scan]"
