# shellcheck shell=bash
# The action's scripts source this first. The working directory is a checkout that anyone may have
# filled; after this, it decides neither which program starts nor what Python imports.

# Only the absolute entries of a list: an empty or relative one means the working directory.
absolute_only() {
    local entry kept='' IFS=:
    set -f
    for entry in $1; do
        [[ $entry != /* ]] || kept+=${kept:+:}$entry
    done
    set +f
    printf '%s' "$kept"
}

PATH=$(absolute_only "$PATH")
export PATH
for variable in LD_LIBRARY_PATH DYLD_LIBRARY_PATH; do
    if [[ -n ${!variable:-} ]]; then
        export "$variable=$(absolute_only "${!variable}")"
    fi
done
# `-I` keeps them from this Python; the ones that pip starts would still read them.
for variable in "${!PYTHON@}"; do
    unset "$variable"
done
unset variable CDPATH
