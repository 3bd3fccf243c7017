#!/usr/bin/env bash
# Gets Apple's own library for servers, so that the tests can let it verify what the simulator signs.
#
# Puts a virtual environment of Python with the library from PyPI under .build/apple-library; does nothing where it is
# there already. Exits with 3 where it cannot be had here: no Python 3.9 or newer, or no package index within reach.
# The tests then leave that part out and say so, unless STOREKEEPER_APPLE_LIBRARY=required.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly version=3.1.2
readonly home=.build/apple-library

missing() {
    echo "apple-library: $1; Apple's library will not look at what is signed" >&2
    exit 3
}

# Both of its clients; an environment from before may have one alone.
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
