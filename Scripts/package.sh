#!/usr/bin/env bash
# Packages the companion service in a folder: one program with Swift's libraries linked in, the systemd unit, the nginx
# configuration for a fleet, the dashboard, and their documentation.
#
# usage: package.sh [FOLDER]
#
# FOLDER is by default .build/package; it is emptied. Deployment/Dockerfile uses this script, too. CONFIGURATION=debug
# packages a debug build, which is faster to build.
set -euo pipefail
target="$(realpath -m "${1:-"$(dirname "${BASH_SOURCE[0]}")/../.build/package"}")"
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Foundation's archives depend on each other in both directions, so the linker must search them more than once.
group=(-Xlinker --start-group)
for library in FoundationInternationalization FoundationEssentials _FoundationICU _FoundationCollections \
    _FoundationCShims; do
    group+=(-Xlinker "-l$library")
done
group+=(-Xlinker --end-group)

# Built separately, because static linking compiles references to other libraries than dynamic linking.
build=(swift build --scratch-path .build/packing --configuration "${CONFIGURATION:-release}" --product storekeeper
    --static-swift-stdlib "${group[@]}")
"${build[@]}" >&2
program="$("${build[@]}" --show-bin-path)/storekeeper"

rm -rf "$target"
mkdir -p "$target"
strip -o "$target/storekeeper" "$program"
cp Deployment/storekeeper.service Deployment/nginx.conf Deployment/dashboard.json Deployment/README.md "$target"

# The image installs the remaining libraries.
if ldd "$target/storekeeper" | grep -E 'libswift|libFoundation|lib_Foundation|libdispatch|libBlocksRuntime|not found' >&2
then
    echo "package: the program needs libraries that are not included" >&2
    exit 1
fi
echo "$target: $("$target/storekeeper" --version), $(du -h "$target/storekeeper" | cut -f1)"
