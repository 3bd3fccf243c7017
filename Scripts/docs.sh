#!/usr/bin/env bash
# Makes the documentation as a static website in .build/docs/site: the documents, the libraries, a page for each command
# and each HTTP API. Fails on a warning of docc, such as a link to a missing symbol.
#
# usage: docs.sh [--check]
#
# With --check only compiles the documents and the libraries. A library may link to the symbols of an earlier library in
# the manifest: ``/StorekeeperEngine/Transaction``.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
repository="$PWD" docs="$PWD/.build/docs" redoc="$PWD/.build/redoc"
readonly redoc_version=2026.10.1

swift build --quiet
products="$(swift build --show-bin-path)"
platform="$(swift -print-target-info | python3 -c 'import json, sys; print(json.load(sys.stdin)["target"]["triple"])')"
# Without the library for other languages, whose documentation is its header.
mapfile -t libraries < <(sed -n 's/.*\.library(name: "\([^"]*\)", targets.*/\1/p' Package.swift)
docc="$(dirname "$(command -v swift)")/docc"
[[ -x "$docc" ]] || docc=docc

# C libraries are found by their module maps; the build generates one for those that have none.
searched=(-I "$products/Modules")
while read -r map; do searched+=(-I "$(dirname "$map")"); done < <(
    find Sources .build/checkouts/*/Sources -name module.modulemap)
while read -r map; do searched+=(-Xcc "-fmodule-map-file=$map"); done < <(
    find "$products"/ -maxdepth 2 -path '*.build/module.modulemap')

# compile NAME INPUT…: makes an archive, which later ones may link to.
known=()
compile() {
    "$docc" convert "${@:2}" --warnings-as-errors --fallback-display-name "$1" \
        --fallback-bundle-identifier "storekeeper.$1" --output-dir "$docs/$1.doccarchive" \
        --enable-experimental-external-link-support "${known[@]}" >"$docs/findings" || { cat "$docs/findings" >&2; exit 1; }
    known+=(--dependency "$docs/$1.doccarchive")
}

rm -rf "$docs"
for library in "${libraries[@]}"; do
    mkdir -p "$docs/graphs/$library"
    # The store is documented with its re-exported symbols, as users see it.
    swift symbolgraph-extract -module-name "$library" "${searched[@]}" -target "$platform" \
        -experimental-allowed-reexported-modules=StorekeeperEngine \
        -minimum-access-level public -output-dir "$docs/graphs/$library"
    catalog="$docs/catalogs/$library.docc"
    mkdir -p "$docs/catalogs"
    cp -r "Sources/$library/Documentation.docc" "$catalog"
    if [[ "$library" == StorekeeperSimulator ]]; then
        "$products/storekeeper" simulate --schema | Scripts/scenario-steps.py "$catalog/Scenarios.md"
    fi
    compile "$library" "$catalog" --additional-symbol-graph-dir "$docs/graphs/$library"
done

if [[ "${1:-}" == --check ]]; then
    Scripts/guides.py "$docs/Guides.docc"
    compile Guides "$docs/Guides.docc"
    exit
fi

swift build --quiet --product generate-docc-reference
"$products/generate-docc-reference" "$products/storekeeper" --style docc --output-directory "$docs" >&2
Scripts/guides.py "$docs/Guides.docc" "$docs/storekeeper.md"
compile Guides "$docs/Guides.docc"
"$docc" merge "$docs"/*.doccarchive --output-path "$docs/site"
echo '<!doctype html><meta http-equiv="refresh" content="0; url=documentation/guides/">' >"$docs/site/index.html"

# The services describe themselves; Redoc, from PyPI, shows their descriptions. Without the policy it would load a picture
# from another server.
if [[ "$(cat "$redoc/version" 2>/dev/null || true)" != "$redoc_version" ]]; then
    rm -rf "$redoc"
    python3 -m venv "$redoc"
    "$redoc/bin/pip" install --quiet --disable-pip-version-check --no-deps "drf-spectacular-sidecar==$redoc_version" >&2
    echo "$redoc_version" >"$redoc/version"
fi
mkdir "$docs/site/api"
cp "$redoc"/lib/python*/site-packages/drf_spectacular_sidecar/static/*/redoc/bundles/redoc.standalone.js "$docs/site/api"
source Scripts/served.sh
describe() {
    start "$products/storekeeper" "${@:2}" --port 0 --format json 2>/dev/null
    curl -sS --fail -o "$docs/site/api/$1.yaml" "$url/openapi.yaml"
    finish
    cat >"$docs/site/api/$1.html" <<END
<!doctype html><html lang="en"><meta charset="utf-8"><title>storekeeper ${*:2:1}</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'self' 'unsafe-inline' blob: data:">
<body style="margin: 0"><redoc spec-url="$1.yaml"></redoc><script src="redoc.standalone.js"></script></html>
END
}
cd "$folder"
describe local-app-store local-app-store "$repository/Configuration/Products.json"
cat >storekeeper.yaml <<END
bundleID: com.example.lanternvale
root: $repository/Configuration/evidence/root.pem
catalogs: [$repository/Configuration/Products.json]
vault: customers.sqlite
END
"$products/storekeeper" vault init >/dev/null
"$products/storekeeper" serve --new-key documentation --scope check >/dev/null 2>&1
describe service serve
echo "The documentation is in $docs/site; view it with"
echo "  python3 -m http.server --directory $docs/site"
