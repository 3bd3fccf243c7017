#!/usr/bin/env bash
# Formats every Swift file of the repository, and writes the page of errors from them; with --lint only reports violations
# of .swift-format, and differences of the page.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

case "${1-}" in
    --lint) words=(lint --strict --parallel) ;;
    "") words=(format --in-place --parallel) ;;
    *)
        echo "usage: Scripts/format.sh [--lint]" >&2
        exit 64
        ;;
esac

find . -name '.build' -prune -o -name '*.swift' -type f -print0 | xargs -0 swift format "${words[@]}"
Scripts/codes.py "$@"
