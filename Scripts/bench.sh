#!/usr/bin/env bash
# Runs the benchmarks in release and writes their table to Benchmarks/RESULTS.txt.
# With arguments, such as --quick or --only resolve, it only prints. A run that fails leaves the last whole table
# as it is; figures that miss their targets do not fail it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

Scripts/install-prerequisites.sh benchmarks

# Building apart keeps the compiler's words out of the table. The program is built in the folder of the benchmarks,
# so that what it depends on is built once; it is the same as that of a release build at the root.
readonly build=(swift build --package-path Benchmarks --configuration release)
"${build[@]}" --product Benchmarks >&2
"${build[@]}" --product storekeeper >&2
folder="$("${build[@]}" --show-bin-path)"
compiler="$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9.]*\).*/\1/p')"
# The server writes to its disk, as in production; `on` is PostgreSQL's own default, said for whoever reads.
export POSTGRES_OPTIONS="-c fsync=on -c synchronous_commit=on -c max_connections=100"
run=(Scripts/with-postgres.sh "$folder/Benchmarks" --tool "$folder/storekeeper" --compiler "${compiler:-unknown}")

if (($# > 0)); then
    exec "${run[@]}" "$@"
fi
new="$(mktemp Benchmarks/RESULTS.XXXXXX)"
trap 'rm -f "$new"' EXIT
"${run[@]}" | tee "$new"

chmod 644 "$new"
mv "$new" Benchmarks/RESULTS.txt
