#!/usr/bin/env bash
# Builds and runs the tests. A test that does not end is a failure: all together may take TEST_MINUTES (30), of which
# they need a few.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly minutes="${TEST_MINUTES:-30}"

Scripts/install-prerequisites.sh
Scripts/apple-library.sh || [[ $? -eq 3 && "${STOREKEEPER_APPLE_LIBRARY:-}" != required ]]

swift build --build-tests
status=0
timeout --kill-after=30 "${minutes}m" swift test --skip-build || status=$?
if ((status == 124 || status == 137)); then
    echo "test: stopped after $minutes minutes: a test hangs, one of those that began above and did not end" >&2
fi
exit "$status"
