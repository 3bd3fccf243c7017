#!/usr/bin/env bash
# Runs every check, the cheap ones first, and stops at the first that fails.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source Scripts/parts.sh

# step WHAT COMMAND…: runs a command and says how long it took.
step() {
    local what="$1" status=0
    shift
    part "check: $what" "$@" || status=$?
    if ((status != 0)); then
        echo "check: failed: $what ($*)" >&2
        exit "$status"
    fi
    printf 'check: %-34s %4.0f s\n' "$what" "$part_seconds"
}

step "format" Scripts/format.sh --lint
step "floors" Scripts/check-floors.py
step "floors check finds what it must" Scripts/check-floors-test.sh
step "vault operations" Scripts/check-operations.py
step "operations check counts right" Scripts/check-operations-test.sh
step "house rules" Scripts/check-sources.py
step "names of StoreKit and StoreHelper" Scripts/check-names.py
step "links between documents" Scripts/check-links.py
step "links check finds dead links" Scripts/check-links-test.sh
step "house check finds what it must" Scripts/check-sources-test.sh
step "mutations find their texts" Scripts/mutate.py --check
step "long runs continue rightly" Scripts/proof-test.sh
step "build and explicit dependencies" \
    swift build --quiet --build-tests --explicit-target-dependency-import-check error
step "interface" Scripts/check-interface.py
step "documentation, its site and links" Scripts/docs.sh
step "deployment" Scripts/check-deployment.sh
step "linkage" Scripts/check-linkage.sh
step "traits" Scripts/check-traits.sh
