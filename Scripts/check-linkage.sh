#!/usr/bin/env bash
# Checks that a program that links only the store and the engine does not load the full Foundation.
#
# Foundation's internationalisation contains tens of megabytes of tables; both use only FoundationEssentials, so that a
# server need not load them. The client package is generated in .build/linkage, with a separate build: in the repository's
# build, the plan of the last package built there might be used for the client.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# modules PRODUCT…: prints the modules that a client of these products compiles, one per line, by dependencies of targets.
modules() {
    swift package describe --type json | python3 -c '
import json, sys
described = json.load(sys.stdin)
targets = {target["name"]: target for target in described["targets"]}
wanted = [name for product in described["products"] if product["name"] in sys.argv[1:] for name in product["targets"]]
found = set()
while wanted:
    name = wanted.pop()
    if name not in found:
        found.add(name)
        target = targets.get(name, {})
        wanted += target.get("target_dependencies", []) + target.get("product_dependencies", [])
print(*sorted(found), sep="\n")' "$@"
}

failed=0
compiled="$(modules Storekeeper)"
if [[ "$compiled" != $'Storekeeper\nStorekeeperEngine' ]]; then
    echo "check-linkage: a client of Storekeeper compiles ${compiled//$'\n'/, }" >&2
    failed=1
fi

if [[ "$(uname -s)" != Linux ]]; then
    echo "check-linkage: skipped: Foundation is part of the system here" >&2
    exit "$failed"
fi

client=.build/linkage
mkdir -p "$client/Sources/client"
cat >"$client/Package.swift" <<'EOF'
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "client",
    dependencies: [.package(name: "storekeeper", path: "../..")],
    targets: [
        .executableTarget(
            name: "client",
            dependencies: [.product(name: "Storekeeper", package: "storekeeper")]
        )
    ]
)
EOF
cat >"$client/Sources/client/main.swift" <<'EOF'
import Storekeeper

print(Catalog(products: [], groups: [], features: []).products.count)
EOF

# Uses the versions of the package, so that no others are fetched.
[[ ! -f Package.resolved ]] || cp Package.resolved "$client/Package.resolved"

readonly build=(swift build --package-path "$client")
"${build[@]}" --quiet
program="$("${build[@]}" --show-bin-path)/client"
"$program" >/dev/null

# The program and all libraries that it loads, directly or indirectly.
loaded="$(ldd "$program")"
for library in libFoundation.so libFoundationInternationalization.so lib_FoundationICU.so libFoundationNetworking.so; do
    if [[ "$loaded" == *"$library"* ]]; then
        echo "check-linkage: a client of Storekeeper loads $library; look for an import of Foundation" >&2
        failed=1
    fi
done
exit "$failed"
