#!/usr/bin/env bash
# The longer run: each law on up to 100,000 generated histories, each parser on 1,000,000 mutated inputs.
# In release, because it is about counting, and apart, so that it does not disturb the everyday build.
# LAW_CASES and FUZZ_CASES set other numbers.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly cases="${LAW_CASES:-100000}"
readonly test=(swift test --configuration release -Xswiftc -enable-testing --scratch-path .build/long)
# They go through their histories under each of four policies.
readonly by_policy='ReferenceLawTests|ExplanationLawTests'
# A history of theirs is a story of many steps, each written by two vaults, and both looked at as a whole.
readonly by_vault='RemoteVaultLawTests'

Scripts/install-prerequisites.sh

STOREKEEPER_CASES="$cases" "${test[@]}" --filter 'LawTests' --skip "$by_policy" --skip "$by_vault"
STOREKEEPER_CASES="$(((cases + 3) / 4))" "${test[@]}" --skip-build --filter "$by_policy"
STOREKEEPER_CASES="$(((cases + 19) / 20))" "${test[@]}" --skip-build --filter "$by_vault"
STOREKEEPER_CASES="${FUZZ_CASES:-1000000}" "${test[@]}" --skip-build \
    --filter 'JSONReaderTests|CatalogHostileInputTests|EvidenceScannerTests|TamperingTests'
