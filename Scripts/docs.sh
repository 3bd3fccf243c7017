#!/usr/bin/env bash
# Makes the documentation as one static site in .build/docs/site: the guides, a page for each command, setting, code and
# HTTP request, and the articles and symbols of all libraries. Fails on a warning of docc and on a dead link.
#
# The tools that read Markdown and YAML come from PyPI, into .build/site-tools, unless Python has them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
repository="$PWD"

readonly tools=.build/site-tools versions="Markdown==3.10 PyYAML==6.0.3"
python=python3
if ! python3 -c 'import markdown, yaml' 2>/dev/null; then
    if [[ "$(cat "$tools/versions" 2>/dev/null || true)" != "$versions" ]]; then
        rm -rf "$tools"
        python3 -m venv "$tools" || { echo "docs: Python makes no virtual environment; install python3-venv" >&2; exit 1; }
        # shellcheck disable=SC2086
        "$tools/bin/pip" install --quiet --disable-pip-version-check --retries 5 $versions >&2 ||
            { echo "docs: $versions cannot be installed; install python3-markdown and python3-yaml instead" >&2; exit 1; }
        echo "$versions" >"$tools/versions"
    fi
    python="$tools/bin/python"
fi
python="$(command -v "$python")"

Scripts/check-docs.sh
swift build --quiet --product storekeeper
program="$(swift build --show-bin-path)/storekeeper"

# The services describe themselves.
source Scripts/served.sh
cd "$folder"
start "$program" local-app-store "$repository/Configuration/Products.json" --port 0 --format json
curl -sS --fail -o local-app-store.yaml "$url/openapi.yaml"
finish
cat >storekeeper.yaml <<END
bundleID: com.example.lanternvale
root: $repository/Configuration/evidence/root.pem
catalogs: [$repository/Configuration/Products.json]
vault: customers.sqlite
END
"$program" vault init >/dev/null
"$program" serve --new-key documentation --scope check >/dev/null 2>&1
start "$program" serve --port 0 --format json 2>/dev/null
curl -sS --fail -o companion.yaml "$url/openapi.yaml"
finish
cd "$repository"

site=.build/docs/site
"$python" Scripts/site/make.py "$program" .build/docs "$folder" "$site"
Scripts/check-links.py "$site"
echo "The documentation is in $site; view it with"
echo "  python3 -m http.server --directory $site"
