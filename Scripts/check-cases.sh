# Sourced by the tests of a check. `checker` is the tested script, in the same folder; `tree` is an empty folder, and
# `failures` the number of failed cases.

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
tree="$(mktemp -d)"
trap 'rm -rf "$tree"' EXIT
failures=0

# Writes standard input to a file of a new tree.
only_file() {
    rm -rf "${tree:?}"/*
    mkdir -p "$tree/$(dirname "$1")"
    cat >"$tree/$1"
}

# wrong FILE WORDS: counts a failed case, and prints the reason and the file.
wrong() {
    echo "$checker: $2" >&2
    head -n 20 "$tree/$1" >&2
    failures=$((failures + 1))
}

# expect_refused FILE LINE: expects that the file on standard input is refused at that line.
expect_refused() {
    only_file "$1"
    local found
    if found="$("$here/$checker" "$tree" 2>&1)"; then
        wrong "$1" "not found in $1:"
    elif [[ "$found" != "$1:$2: error: "* ]]; then
        wrong "$1" "expected a finding at $1:$2, got: $found"
    fi
}

# expect_passed FILE: expects that the file on standard input is accepted.
expect_passed() {
    only_file "$1"
    "$here/$checker" "$tree" || wrong "$1" "unexpected finding above:"
}

# The last command of a test: fails if a case failed.
report_cases() {
    if ((failures > 0)); then
        echo "$checker: $failures of the cases failed" >&2
        exit 1
    fi
}
