#!/usr/bin/env bash
# Compiles the documentation of every library and fails on any warning, such as a link to a missing symbol.
#
# Compiles the symbol graphs of the debug build with the toolchain's docc, each with the catalog Documentation.docc of its
# target if it exists. The archives are in .build/docs. A library may link to the symbols of an earlier library in the
# manifest: ``/StorekeeperEngine/Transaction``.
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

# Our C libraries and those of dependencies are found by their module maps, which stay in the checkouts. For C libraries
# without a map the build generates one.
searched=(-I "$modules")
while IFS= read -r map; do searched+=(-I "$(dirname "$map")"); done < <(
    find Sources -name module.modulemap
    find .build/checkouts -path '*/Sources/*' -name module.modulemap
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
    # The store is documented with its re-exported symbols, as users see it.
    swift symbolgraph-extract -module-name "$library" "${searched[@]}" -target "$platform" \
        -experimental-allowed-reexported-modules=StorekeeperEngine \
        -minimum-access-level public -output-dir "$graphs"

    input=()
    [[ ! -d "$catalog" ]] || input=("$catalog")
    # docc writes its findings to standard output, or blank lines if there are none.
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
