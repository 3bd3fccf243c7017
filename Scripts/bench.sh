#!/usr/bin/env bash
# Runs the benchmarks in release, then Scripts/library-load.sh and Scripts/service-load.sh, and writes their tables to
# Benchmarks/RESULTS.txt.
# With arguments, such as --quick or names of groups, it only prints the first table. A failed run does not change the
# last tables; figures that miss their targets are not a failure.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

Scripts/install-prerequisites.sh benchmarks

# Building separately keeps the compiler's output out of the table.
readonly build=(swift build --configuration release)
"${build[@]}" --product Benchmarks >&2
# The server syncs its disk, as in production; `on` is PostgreSQL's default, set here explicitly.
export POSTGRES_OPTIONS="-c fsync=on -c synchronous_commit=on -c max_connections=100"
run=(Scripts/with-postgres.sh "$("${build[@]}" --show-bin-path)/Benchmarks")

if (($# > 0)); then
    exec "${run[@]}" "$@"
fi
# For the library, which is built as a release has it.
Scripts/install-prerequisites.sh release
new="$(mktemp Benchmarks/RESULTS.XXXXXX)"
trap 'rm -f "$new"' EXIT
{
    swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9.]*\).*/Storekeeper benchmarks, Swift \1, release/p'
    "${run[@]}"
    Scripts/library-load.sh
    # 3: without wrk the table says that the service was not measured.
    Scripts/service-load.sh || (($? == 3))
} | tee "$new"

chmod 644 "$new"
mv "$new" Benchmarks/RESULTS.txt
