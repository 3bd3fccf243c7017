#!/usr/bin/env bash
# Builds and runs the tests. A test that does not end is a failure: all tests together may take TEST_MINUTES (30), and
# need about ten on two cores.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source Scripts/parts.sh

Scripts/install-prerequisites.sh
part "test: Apple's library" Scripts/apple-library.sh \
    || [[ $? -eq 3 && "${STOREKEEPER_APPLE_LIBRARY:-}" != required ]]
part "test: axe" Scripts/axe.sh || [[ $? -eq 3 && "${STOREKEEPER_AXE:-}" != required ]]
part "test: build" swift build --build-tests
Scripts/test-c-library.sh
STOREKEEPER_TESTS=system exec Scripts/with-postgres.sh Scripts/run-tests.py --minutes "${TEST_MINUTES:-30}"
