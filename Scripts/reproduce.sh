#!/usr/bin/env bash
# Builds the artefacts of HEAD in two folders, and compares them byte by byte; prints where they differ, and which object
# files do.
#
# usage: reproduce.sh [FOLDER [OTHER-FOLDER]]
#
# With a folder of artefacts it builds once, and compares with it; with two it only compares. A release build takes 7 to
# 11 minutes of two quiet cores, so without a folder this takes twice as long. RESOLVED=FILE names the package versions;
# by default those of this folder, if it has any. The exit status is 3 if the artefacts differ.
set -euo pipefail
(($# == 0)) || first="$(realpath "$1")"
(($# < 2)) || second="$(realpath "$2")"
[[ -z "${RESOLVED:-}" ]] || RESOLVED="$(realpath "$RESOLVED")"
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if (($# < 2)); then
    work="$(mktemp -d "${TMPDIR:-/tmp}/reproduce.XXXXXX")"
    trap 'rm -rf "$work"' EXIT
    if [[ -z "${RESOLVED:-}" && -f Package.resolved ]]; then RESOLVED="$PWD/Package.resolved"; fi
    [[ -z "${RESOLVED:-}" ]] || export RESOLVED
    folders=(one the-other)
    second="$work/the-other/artefacts"
    if (($# == 1)); then folders=(the-other); else first="$work/one/artefacts"; fi
    for folder in "${folders[@]}"; do
        git clone --quiet --no-hardlinks . "$work/$folder/storekeeper"
        (cd "$work/$folder/storekeeper" && Scripts/make-release.sh "$work/$folder/artefacts")
    done
fi
status=0
python3 Scripts/distribution/compare.py "$first" "$second" || status=$?
objects=(one/storekeeper/.build/packing the-other/storekeeper/.build/packing)
if ((status != 0)) && [[ -n "${work:-}" && -d "$work/${objects[0]}" ]]; then
    echo "The sources, packages and options are the same: the compiler's choices (such as those of registers) depend on"
    echo "the addresses of its own data, which differ between two runs. It wrote these object files differently:"
    (cd "$work" && { diff --recursive --brief "${objects[@]}" || true; } |
        grep -o '[^ /]*/[^ /]*\.o differ$' || echo none)
fi
exit "$status"
