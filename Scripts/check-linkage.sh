#!/usr/bin/env bash
# Shows that a program which links only the store loads no full Foundation and compiles no module but that and the
# engine.
#
# Foundation's internationalisation brings tens of megabytes of tables; both keep to FoundationEssentials so
# that a server need not load them. The client package is made anew in .build/linkage, which keeps its build.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [[ "$(uname -s)" != Linux ]]; then
    echo "check-linkage: skipped: Foundation is one with the system here" >&2
    exit 0
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

# The versions that the package itself was built with, so that no others are fetched.
[[ ! -f Package.resolved ]] || cp Package.resolved "$client/Package.resolved"

swift build --quiet --package-path "$client"
binaries="$(swift build --package-path "$client" --show-bin-path)"
program="$binaries/client"
"$program" >/dev/null

# The program itself and all that its libraries load in turn.
loaded="$(ldd "$program")"
failed=0
for library in libFoundation.so libFoundationInternationalization.so lib_FoundationICU.so libFoundationNetworking.so; do
    if [[ "$loaded" == *"$library"* ]]; then
        echo "check-linkage: a client of Storekeeper loads $library; look for an import of Foundation" >&2
        failed=1
    fi
done
for module in "$binaries"/Modules/*.swiftmodule; do
    case "$(basename "$module" .swiftmodule)" in
        client | Storekeeper | StorekeeperEngine) ;;
        *)
            echo "check-linkage: a client of Storekeeper compiles $(basename "$module" .swiftmodule) too" >&2
            failed=1
            ;;
    esac
done
exit "$failed"
