#!/usr/bin/env bash
# Fetches axe-core, which finds faults of accessibility, so that the tests can examine the pages with it.
#
# Unpacks one file of a Python package from PyPI into .build/axe, unless it is there. No page loads it; only tests put it
# into a page. Exits with 3 if this is not possible: without Python, or if no package index can be reached. The tests
# then skip this part with a note, unless STOREKEEPER_AXE=required.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly package=axe-playwright-python version=0.1.8 member=axe_playwright_python/axe.min.js
readonly sum=84494fec757e4710dc751c8d7a636e457f4532f08f85c86dc9070133fbff53bc
readonly file=.build/axe/axe.min.js

missing() {
    echo "axe: $1; the pages are not examined with axe" >&2
    exit 3
}

is_right() {
    echo "$sum  $file" | sha256sum --check --status 2>/dev/null
}

if is_right; then exit 0; fi
command -v python3 >/dev/null || missing "there is no python3"
mkdir -p "$(dirname "$file")"
temporary="$(mktemp -d)"
trap 'rm -rf "$temporary"' EXIT
python3 -m venv "$temporary/python" >/dev/null || missing "python3 cannot make a virtual environment (Debian: python3-venv)"
"$temporary/python/bin/pip" download --quiet --disable-pip-version-check --retries 2 --no-deps --only-binary :all: \
    --dest "$temporary" "$package==$version" >&2 || missing "no package index is within reach"
python3 -c 'import sys, zipfile; sys.stdout.buffer.write(zipfile.ZipFile(sys.argv[1]).read(sys.argv[2]))' \
    "$temporary"/*.whl "$member" >"$file"
if ! is_right; then
    echo "axe: $member of $package $version has another SHA-256 sum than expected" >&2
    exit 1
fi
echo "axe: axe-core from $package $version is in $file" >&2
