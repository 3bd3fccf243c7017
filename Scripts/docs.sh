#!/usr/bin/env bash
# Generates the documentation of all libraries as pages for any web server, in .build/docs/site, with an index page; fails
# on a warning.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

Scripts/check-docs.sh
docc="$(dirname "$(command -v swift)")/docc"
[[ -x "$docc" ]] || docc=docc
site=.build/docs/site
rm -rf "$site"
mkdir -p "$site"
{
    echo '<!doctype html><html lang="en"><meta charset="utf-8"><title>Storekeeper</title><h1>Storekeeper</h1><ul>'
    for archive in .build/docs/*.doccarchive; do
        library="$(basename "$archive" .doccarchive)"
        "$docc" process-archive transform-for-static-hosting "$archive" --hosting-base-path "$library" \
            --output-path "$site/$library" >&2
        echo "<li><a href=\"/$library/documentation/${library,,}/\">$library</a></li>"
    done
    echo '</ul></html>'
} > "$site/index.html"
echo "The documentation is in $site; view it with"
echo "  python3 -m http.server --directory $site"
