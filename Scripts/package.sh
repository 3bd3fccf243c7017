#!/usr/bin/env bash
# Puts what is needed to run the companion service into a folder: one program that brings Swift's libraries with it, the
# unit for systemd, nginx before a fleet, the dashboard, and how they are used.
#
# usage: package.sh [FOLDER]
#
# FOLDER is .build/package where it is not named; it is emptied. The image of Deployment/Dockerfile is made by this
# script, too. CONFIGURATION=debug packs a program that is not optimised, which is quick to build.
set -euo pipefail
target="$(realpath -m "${1:-"$(dirname "${BASH_SOURCE[0]}")/../.build/package"}")"
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Foundation's archives need each other in both directions, so that the linker has to look through them more than once.
group=(-Xlinker --start-group)
for library in FoundationInternationalization FoundationEssentials _FoundationICU _FoundationCollections \
    _FoundationCShims; do
    group+=(-Xlinker "-l$library")
done
group+=(-Xlinker --end-group)

# Built apart: what is compiled to be linked with archives names other libraries than what is linked with shared ones.
build=(swift build --scratch-path .build/packing --configuration "${CONFIGURATION:-release}" --product storekeeper
    --static-swift-stdlib "${group[@]}")
"${build[@]}" >&2
program="$("${build[@]}" --show-bin-path)/storekeeper"

rm -rf "$target"
mkdir -p "$target"
strip -o "$target/storekeeper" "$program"
cp Deployment/storekeeper.service Deployment/nginx.conf Deployment/dashboard.json Deployment/README.md "$target"

# What is left to the system is what the image installs.
if ldd "$target/storekeeper" | grep -E 'libswift|libFoundation|lib_Foundation|libdispatch|libBlocksRuntime|not found' >&2
then
    echo "package: the program needs libraries that do not come with it" >&2
    exit 1
fi
echo "$target: $("$target/storekeeper" --version), $(du -h "$target/storekeeper" | cut -f1)"
