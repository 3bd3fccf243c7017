# Sourced by the scripts that run the program on files of their own: the variables of a developer's real service override
# storekeeper.yaml, and must not reach them.
# shellcheck disable=SC2046 # Each word is the name of a variable.
unset "${!STOREKEEPER_SERVE_@}" \
    $(grep -o 'STOREKEEPER_[A-Z_]*' "$(dirname "${BASH_SOURCE[0]}")/../Documentation/Settings.md" | sort -u)
