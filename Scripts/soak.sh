#!/usr/bin/env bash
# The longer run. Of the vault: a process that writes is killed 1,000 times (KILLS sets another number), and after each
# kill the vault is checked; then the tests of what runs at the same time, under the thread sanitizer. Of the rules
# of all: they are broken one by one, and a test must notice each; then ten together, and the tests must fail and end.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

Scripts/install-prerequisites.sh

# In release: what counts is how often it is interrupted while it writes.
STOREKEEPER_KILLS="${KILLS:-1000}" swift test --configuration release -Xswiftc -enable-testing \
    --scratch-path .build/long --filter 'CrashTests'

# Apart, because the sanitizer compiles everything anew. What it cannot see is named in the list of suppressions.
TSAN_OPTIONS="suppressions=$PWD/Scripts/thread-sanitizer.txt halt_on_error=0 exitcode=66" \
    swift test --sanitize thread --scratch-path .build/sanitized \
    --filter 'StorePoolTests|StoreLifeTests|StoreAccountTests|StoreIntakeTests|CommitQueue|VaultConformance|InMemoryVault|SQLiteVault|StoreReader|Publication|Feed|VirtualClock'

Scripts/mutate.py
Scripts/mutate.py --all-at-once 10
