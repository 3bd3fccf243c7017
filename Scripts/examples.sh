#!/usr/bin/env bash
# Builds, tests and runs the packages in Examples/ against the sources here.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

echo "Examples/OwnParts: a vault and a backend of one's own, held to the laws"
swift test --package-path Examples/OwnParts --scratch-path .build/examples/own-parts

echo "Examples/GameServer: a thousand players, sixty ticks a second"
swift run --package-path Examples/GameServer --scratch-path .build/examples/game-server GameServer 3
