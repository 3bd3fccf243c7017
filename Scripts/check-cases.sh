# Sourced by the tests of a check. `checker` is the script that they test, which stands beside them; `tree` an empty
# folder, and `failures` how many cases went wrong.

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
tree="$(mktemp -d)"
trap 'rm -rf "$tree"' EXIT
failures=0

# Writes standard input to a file of a fresh tree.
only_file() {
    rm -rf "${tree:?}"/*
    mkdir -p "$tree/$(dirname "$1")"
    cat >"$tree/$1"
}

# wrong FILE WORDS: counts a case that went wrong, and says how and with which file.
wrong() {
    echo "$checker: $2" >&2
    head -n 20 "$tree/$1" >&2
    failures=$((failures + 1))
}

# expect_refused FILE LINE: the file on standard input is refused at that line.
expect_refused() {
    only_file "$1"
    local found
    if found="$("$here/$checker" "$tree" 2>&1)"; then
        wrong "$1" "not found in $1:"
    elif [[ "$found" != "$1:$2: error: "* ]]; then
        wrong "$1" "expected a finding at $1:$2, got: $found"
    fi
}

# expect_passed FILE: nothing in the file on standard input is refused.
expect_passed() {
    only_file "$1"
    "$here/$checker" "$tree" || wrong "$1" "refused above, but right:"
}

# The last command of a test: fails where a case went wrong.
report_cases() {
    if ((failures > 0)); then
        echo "$checker: $failures of the cases went wrong" >&2
        exit 1
    fi
}
