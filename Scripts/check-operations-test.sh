#!/usr/bin/env bash
# Tests that check-operations.py counts the files in which an operation is declared, and fails above its limit.
set -euo pipefail

readonly checker=check-operations.py
source "$(dirname "${BASH_SOURCE[0]}")/check-cases.sh"

# files COUNT DECLARATION: makes a protocol with an operation, and COUNT files that declare it.
files() {
    only_file Sources/Vault.swift <<<$'/// A vault.\npublic protocol Vault { func balances(of customer: ID, limit: Int) async -> [Int: Int] }'
    for number in $(seq "$1"); do echo "$2" >"$tree/Sources/$number.swift"; done
}

# expect STATUS FILES: compares the checker's status and the number of files that it prints.
expect() {
    local status=0 said
    said="$("$here/$checker" "$tree" 2>/dev/null)" || status=$?
    if [[ $status != "$1" || $said != "vault operations: 1, each declared in at most $2 files (limit 4)" ]]; then
        wrong Sources/Vault.swift "expected $2 files and status $1, got status $status: $said"
    fi
}

same='struct A { func balances(of anybody: ID, limit: Int = 3) -> [Int: Int] { [:] } }'
files 3 "$same" && expect 0 4
files 4 "$same" && expect 1 5
files 9 'struct A { func balances(of customer: Other, limit: Int) {} }' && expect 0 1
files 9 'struct A { func balances(for customer: ID, limit: Int) {} }' && expect 0 1
files 9 '// func balances(of customer: ID, limit: Int)' && expect 0 1

report_cases
