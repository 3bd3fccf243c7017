#!/usr/bin/env bash
# Installs Apple's server library, so that the tests can verify with it what the simulator signs.
#
# Creates a Python virtual environment with the library from PyPI in .build/apple-library, unless it exists. Exits with 3
# if this is not possible: without Python 3.9 or newer, or if no package index can be reached. The tests then skip this
# part with a note, unless STOREKEEPER_APPLE_LIBRARY=required.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly version=3.1.2
readonly home=.build/apple-library

missing() {
    echo "apple-library: $1; Apple's library does not verify the signatures" >&2
    exit 3
}

# With both of its clients; an older environment may have only one.
readonly wanted="$version, async"
if [[ "$(cat "$home/version" 2>/dev/null || true)" == "$wanted" ]]; then exit 0; fi
rm -rf "$home"
command -v python3 >/dev/null || missing "there is no python3"
python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' || missing "Python is older than 3.9"
mkdir -p .build
python3 -m venv "$home" >/dev/null || missing "python3 cannot make a virtual environment (Debian: python3-venv)"
"$home/bin/pip" install --quiet --disable-pip-version-check --retries 2 \
    "app-store-server-library[async]==$version" >&2 || missing "no package index is within reach"
echo "$wanted" >"$home/version"
echo "apple-library: app-store-server-library $version is in $home" >&2
