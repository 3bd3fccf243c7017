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
step "house rules" Scripts/check-sources.py
step "names of StoreKit and StoreHelper" Scripts/check-names.py
step "links between documents" Scripts/check-links.py
step "explicit dependencies" \
    swift build --quiet --build-tests --explicit-target-dependency-import-check error
step "documentation" Scripts/docs.sh --check
step "deployment" Scripts/check-deployment.sh
step "traits and linkage" Scripts/check-traits.sh
