#!/usr/bin/env bash
# Builds one test target and runs its unit tests: no server, browser, download or started program.
#
# usage: quick.sh TARGET [FILTER]
#
# FILTER is an expression for the names of tests, as of `swift test --filter`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

export STOREKEEPER_TEST_TARGET="${1:-}" STOREKEEPER_TESTS=unit
if [[ ! -d "Tests/$STOREKEEPER_TEST_TARGET" || "$STOREKEEPER_TEST_TARGET" != *Tests ]]; then
    echo "quick: '$STOREKEEPER_TEST_TARGET' is no test target; TARGET is one of:" Tests/*Tests | sed 's|Tests/||g' >&2
    exit 64
fi
swift build --quiet --product storekeeperPackageTests
exec Scripts/run-tests.py --minutes 10 ${2:+--filter "$2"}
