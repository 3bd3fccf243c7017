#!/usr/bin/env bash
# The longer run. Of the vault: a process that writes is killed 1,000 times (KILLS sets another number), and after each
# kill the vault is checked. Of a fleet on PostgreSQL: nodes and servers are killed 200 times each (FLEET_KILLS), a
# primary is lost 20 times (FAILOVERS), four nodes carry out 100,000 commands (COMMANDS) that a model does as well. Then
# the tests of what runs at the same time, under the thread sanitizer. What is packed is run where nothing else is. Of the
# rules of all: they are broken one by one, and a test must notice each; then ten together, and the tests must fail and
# end.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

Scripts/install-prerequisites.sh

# In release: what counts is how often it is interrupted while it writes.
STOREKEEPER_KILLS="${KILLS:-1000}" swift test --configuration release -Xswiftc -enable-testing \
    --scratch-path .build/long --filter 'CrashTests'

# Each test starts servers of its own, in the folder for temporary files.
if Scripts/postgres-server.sh has; then
    STOREKEEPER_KILLS="${FLEET_KILLS:-200}" STOREKEEPER_FAILOVERS="${FAILOVERS:-20}" \
        STOREKEEPER_COMMANDS="${COMMANDS:-100000}" swift test --configuration release -Xswiftc -enable-testing \
        --scratch-path .build/long --no-parallel \
        --filter 'NodeKillTests|ServerKillTests|FailoverTests|FleetModelTests'
else
    echo "soak: no PostgreSQL server is installed: the fleet is left out" >&2
fi

# Apart, because the sanitizer compiles everything anew. What it cannot see is named in the list of suppressions.
TSAN_OPTIONS="suppressions=$PWD/Scripts/thread-sanitizer.txt halt_on_error=0 exitcode=66" \
    swift test --sanitize thread --scratch-path .build/sanitized \
    --filter 'StorePoolTests|StoreLifeTests|StoreAccountTests|StoreIntakeTests|CommitQueue|VaultConformance|InMemoryVault|SQLiteVault|Publication|Feed|VirtualClock'

Scripts/package-test.sh

Scripts/mutate.py
Scripts/mutate.py --all-at-once 10
