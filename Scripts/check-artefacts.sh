#!/usr/bin/env bash
# Makes the artefacts of a release with the debug build, and tests them in bare Debian roots; see release-test.sh.
#
# Passes without a test, and says so, if root privileges, namespaces or a mirror of Debian are missing; without a mirror
# no image is made either.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

Scripts/install-prerequisites.sh release
artefacts=.build/debug-distribution
probe="$(mktemp -d)"
trap 'rm -rf "$probe"' EXIT
(cd "$probe" && apt-get download -qq -o APT::Sandbox::User=root libpq5) >/dev/null 2>&1 || export IMAGE=0
PROGRAM=.build/debug/storekeeper DIRTY=1 LEVEL=1 COMPRESSION=none Scripts/make-release.sh "$artefacts"
LIBRARIES=1 Scripts/release-test.sh "$artefacts" || (($? == 3))
rm -rf "$artefacts"
