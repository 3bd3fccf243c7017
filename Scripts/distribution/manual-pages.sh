#!/usr/bin/env bash
# Writes a manual page for each command with swift-argument-parser's generator; `man storekeeper vault` finds them.
#
# usage: manual-pages.sh PROGRAM FOLDER
#
# The pages have the date of SOURCE_DATE_EPOCH, or of today.
set -euo pipefail
program="$(realpath "$1")" folder="$(realpath -m "$2")"
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
swift build --quiet --product generate-manual
# The generator leaves out what is not ASCII.
spoken="$(mktemp)"
trap 'rm -f "$spoken"' EXIT
printf '#!/bin/sh\n"%s" "$@" | sed "s/…/.../g"\n' "$program" >"$spoken"
chmod +x "$spoken"
mkdir -p "$folder"
"$(swift build --show-bin-path)/generate-manual" "$spoken" --multi-page --output-directory "$folder" \
    --date "$(date --utc --date="@${SOURCE_DATE_EPOCH:-"$(date +%s)"}" +%F)"
# Its names have dots where man looks for hyphens, and its text is not escaped after the first line.
cd "$folder"
for page in *.1; do
    name="${page%.1}"
    sed -i -E -e "s/^\.Nm \".*/.Nm ${name//./-}/; t" -e "s/^\.Nm$/.Nm \"${name//./ }\"/" -e 's/^\.Nd "(.*)"/.Nd \1/' \
        -e ':again; s/^(\.(Xr|Dt) [^ ]*)\./\1-/; t again' -e "s/^'/\\\\\&'/" -e 's/^$/.Pp/' "$page"
    [[ "$name" != *.* ]] || mv "$page" "${name//./-}.1"
done
