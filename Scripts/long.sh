#!/usr/bin/env bash
# The longer run: the laws on 100,000 generated histories each, the parsers on 1,000,000 mutated inputs each.
# In release, because it is about counting, and apart, so that it does not disturb the everyday build.
# LAW_CASES and FUZZ_CASES set other numbers.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

Scripts/install-prerequisites.sh

readonly test=(swift test --configuration release -Xswiftc -enable-testing --scratch-path .build/long)
STOREKEEPER_CASES="${LAW_CASES:-100000}" "${test[@]}" --filter 'LawTests'
STOREKEEPER_CASES="${FUZZ_CASES:-1000000}" "${test[@]}" --skip-build \
    --filter 'JSONReaderTests|CatalogHostileInputTests|EvidenceScannerTests|TamperingTests'
