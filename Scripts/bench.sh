#!/usr/bin/env bash
# Runs the benchmarks in release and writes their table to Benchmarks/RESULTS.txt.
# A run that fails leaves the last whole table as it is.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [[ ! -f Benchmarks/Package.swift ]]; then
    echo "bench: there is no Benchmarks/Package.swift in this checkout" >&2
    exit 1
fi
Scripts/install-prerequisites.sh

# Building apart keeps the compiler's words out of the table.
swift build --package-path Benchmarks --configuration release >&2
new="$(mktemp Benchmarks/RESULTS.XXXXXX)"
trap 'rm -f "$new"' EXIT
swift run --package-path Benchmarks --configuration release --skip-build | tee "$new"

chmod 644 "$new"
mv "$new" Benchmarks/RESULTS.txt
