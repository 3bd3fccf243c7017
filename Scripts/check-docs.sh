#!/usr/bin/env bash
# Compiles the documentation of every library and fails on any warning, such as a link to a symbol that is gone.
#
# Takes the symbol graphs from the debug build and compiles them with the toolchain's docc, each with the catalog
# Documentation.docc of its target where there is one. The archives lie in .build/docs. A library may link to
# the symbols of one before it in the manifest: ``/StorekeeperEngine/Transaction``.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

swift build --quiet
modules="$(swift build --show-bin-path)/Modules"
platform="$(swift -print-target-info | python3 -c 'import json, sys; print(json.load(sys.stdin)["target"]["triple"])')"
mapfile -t libraries < <(
    swift package describe --type json | python3 -c '
import json, sys
for product in json.load(sys.stdin)["products"]:
    if "library" in product["type"]:
        print(*product["targets"], sep="\n")'
)
if ((${#libraries[@]} == 0)); then
    echo "check-docs: the manifest names no library" >&2
    exit 1
fi

# A C library of ours is found by its module map, and so are those of dependencies, whose maps the build leaves where they
# were fetched; SQLCipher's names the same library as SQLite's. Of C libraries that have no map the build has made one.
searched=(-I "$modules")
while IFS= read -r map; do searched+=(-I "$(dirname "$map")"); done < <(
    find Sources -name module.modulemap
    find .build/checkouts -path '*/Sources/*' -name module.modulemap -not -path '*/GRDBSQLCipher/*'
)
while IFS= read -r map; do searched+=(-Xcc "-fmodule-map-file=$map"); done < <(
    find "$(dirname "$modules")"/ -maxdepth 2 -path '*.build/module.modulemap'
)

docc="$(dirname "$(command -v swift)")/docc"
[[ -x "$docc" ]] || docc=docc

folder=.build/docs
rm -rf "$folder"
known=()
for library in "${libraries[@]}"; do
    graphs="$folder/graphs/$library"
    archive="$folder/$library.doccarchive"
    catalog="Sources/$library/Documentation.docc"
    mkdir -p "$graphs"
    # The store is documented with what it re-exports, as its users see it.
    swift symbolgraph-extract -module-name "$library" "${searched[@]}" -target "$platform" \
        -experimental-allowed-reexported-modules=StorekeeperEngine \
        -minimum-access-level public -output-dir "$graphs"

    input=()
    [[ ! -d "$catalog" ]] || input=("$catalog")
    # docc writes what it finds to standard output, and blank lines where it finds nothing.
    if ! said="$(
        "$docc" convert "${input[@]}" \
            --warnings-as-errors \
            --enable-experimental-external-link-support "${known[@]}" \
            --fallback-display-name "$library" \
            --fallback-bundle-identifier "storekeeper.$library" \
            --additional-symbol-graph-dir "$graphs" \
            --output-dir "$archive"
    )"; then
        printf '%s\n' "$said" >&2
        exit 1
    fi
    known+=(--dependency "$archive")
done
