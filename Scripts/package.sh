#!/usr/bin/env bash
# Builds the program in release mode, with all libraries but libc linked in, as FOLDER/storekeeper.
#
# usage: package.sh [FOLDER]
#
# FOLDER is by default .build/package. Deployment/Dockerfile uses this script, too.
set -euo pipefail
target="$(realpath -m "${1:-"$(dirname "${BASH_SOURCE[0]}")/../.build/package"}")"
cd "$(dirname "${BASH_SOURCE[0]}")/.."

source Scripts/static-build.sh
mkdir -p "$target"

# For --version; `-dirty` if the commit is not what is built.
if commit="$(git describe --always --abbrev=12 --exclude='*' --dirty 2>/dev/null)"; then
    export STOREKEEPER_BUILD="$commit $(git log -1 --format=%cs)"
fi

static_build storekeeper
cp "$static_products/storekeeper" "$target/"
echo "$target/storekeeper: $("$target/storekeeper" --version), $(du -h "$target/storekeeper" | cut -f1)"
