#!/usr/bin/env bash
# Shows that a client downloads, compiles and loads only what it needs.
#
# For each set of traits a client package resolves, and the repositories it resolves are compared with the table below.
# The clients without traits are compiled; with --build every client is. They share one build, so that each dependency is
# compiled once. A client that forgot a trait gets an error that names it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

build="${1:-}"
readonly client=.build/traits
mkdir -p "$client/Sources/client"

# write_client TRAITS PRODUCT: a package that uses one product of this one.
write_client() {
    cat >"$client/Package.swift" <<END
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "client",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "storekeeper", path: "../..", traits: [$1])],
    targets: [
        .executableTarget(name: "client", dependencies: [.product(name: "$2", package: "storekeeper")])
    ]
)
END
    printf 'import %s\n\nprint("%s")\n' "$2" "$2" >"$client/Sources/client/main.swift"
}

# resolved: the number of other repositories in the client's resolution, and their names.
resolved() {
    [[ -f "$client/Package.resolved" ]] || { echo 0; return; }
    python3 -c '
import json, sys
names = sorted(pin["identity"] for pin in json.load(open(sys.argv[1]))["pins"])
print(len(names), *names)' "$client/Package.resolved"
}

# check LIMIT TRAITS PRODUCT: a client resolves at most LIMIT other repositories.
failed=0
check() {
    write_client "$2" "$3"
    # The versions that the package itself was built with, so that no others are fetched.
    rm -f "$client/Package.resolved"
    [[ ! -f Package.resolved ]] || cp Package.resolved "$client/Package.resolved"
    if ! swift package --package-path "$client" resolve >"$client/resolve.log" 2>&1; then
        cat "$client/resolve.log" >&2
        exit 1
    fi
    local found
    found="$(resolved)"
    printf 'traits [%s]: %s needs %s other repositories\n' "$2" "$3" "${found%% *}"
    if ((${found%% *} > $1)); then
        echo "check-traits: more than $1: ${found#* }" >&2
        failed=1
    fi
    if [[ -z "$2" || "$build" == --build ]]; then
        swift build --quiet --package-path "$client" --disable-build-manifest-caching
    fi
}

# forgotten TRAIT PRODUCT: a client without the traits that the product needs is told so, and nothing else.
forgotten() {
    write_client '' "$2"
    rm -f "$client/Package.resolved"
    if swift build --package-path "$client" --disable-build-manifest-caching >"$client/build.log" 2>&1; then
        echo "check-traits: $2 builds without the trait $1; check-traits does not need to test it" >&2
        failed=1
        return
    fi
    local others
    others="$(grep '\.swift:[0-9:]* error:' "$client/build.log" | grep -v 'needs the trait' || true)"
    # A product may need several traits; the build stops at the first one that is missing.
    if [[ -n "$others" ]] || ! grep -q 'error:.* needs the trait' "$client/build.log"; then
        echo "check-traits: without the trait $1, the errors of $2 do not only name traits:" >&2
        grep 'error:' "$client/build.log" | head >&2
        failed=1
    fi
    printf 'without the trait %s: %s says so\n' "$1" "$2"
}

# linkage: the client of the store, which was built last, does not load the full Foundation, whose internationalisation
# contains tens of megabytes of tables: store and engine use only FoundationEssentials.
linkage() {
    [[ "$(uname -s)" == Linux ]] || return 0
    local program loaded library
    program="$(swift build --package-path "$client" --show-bin-path)/client"
    "$program" >/dev/null
    # The program and all libraries that it loads, directly or indirectly.
    loaded="$(ldd "$program")"
    for library in libFoundation.so libFoundationInternationalization.so lib_FoundationICU.so libFoundationNetworking.so; do
        if [[ "$loaded" == *"$library"* ]]; then
            echo "check-traits: a client of Storekeeper loads $library; look for an import of Foundation" >&2
            failed=1
        fi
    done
}

check 0 '' StorekeeperEngine
check 0 '' Storekeeper
linkage
check 0 '' StorekeeperKit
forgotten JWS StorekeeperJWS
forgotten SQLite StorekeeperSQLite
forgotten Postgres StorekeeperPostgres
forgotten Simulator StorekeeperSimulator
forgotten AppStore StorekeeperAppStore
forgotten Server StorekeeperCompanion
check 3 '"JWS"' StorekeeperJWS
check 2 '"SQLite"' StorekeeperSQLite
check 2 '"Postgres"' StorekeeperPostgres
check 4 '"Simulator"' StorekeeperSimulator
check 24 '"AppStore"' StorekeeperAppStore
check 26 '"Server"' StorekeeperCompanion
exit "$failed"
