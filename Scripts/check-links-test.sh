#!/usr/bin/env bash
# Tests that check-links.py finds dead links in a site, and nothing else.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

site="$(mktemp -d)"
trap 'rm -rf "$site"' EXIT
mkdir "$site/sub"
wrong=0

# expect STATUS BODY: checks a site with this body in one page.
expect() {
    local status=0
    printf '<html><body>%s</body></html>\n' "$2" >"$site/index.html"
    printf '<html><body id="top"></body></html>\n' >"$site/sub/page.html"
    ./check-links.py "$site" 2>/dev/null || status=$?
    if [[ $status != "$1" ]]; then
        echo "check-links-test: expected status $1 instead of $status for: $2" >&2
        wrong=1
    fi
}

expect 0 '<a href="sub/page.html">a</a> <a href="sub/page.html#top">b</a> <a href="https://example.com/gone">c</a>'
expect 0 '<p id="here"></p><a href="#here">a</a>'
expect 1 '<a href="sub/gone.html">a</a>'
expect 1 '<a href="sub/page.html#gone">a</a>'
expect 1 '<a href="#gone">a</a>'
expect 1 '<a href="@/sub/page.html">a</a>'
expect 1 '<img src="gone.png">'
expect 1 '<script src="https://example.com/a.js"></script>'
rm "$site/index.html" "$site/sub/page.html"
if ./check-links.py "$site" 2>/dev/null; then
    echo "check-links-test: an empty site passed" >&2
    wrong=1
fi
exit "$wrong"
