#!/usr/bin/env bash
# Builds the program in release mode, with all libraries but libc linked in, as FOLDER/storekeeper.
#
# usage: package.sh [FOLDER]
#
# FOLDER is by default .build/package. Deployment/Dockerfile uses this script, too.
set -euo pipefail
target="$(realpath -m "${1:-"$(dirname "${BASH_SOURCE[0]}")/../.build/package"}")"
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# SQLite, zlib and the C++ library are linked in, too: a folder that contains only their archives is searched first. The
# description of SQLite for pkg-config names another folder, which SwiftPM would put before it.
archives=.build/packing/archives
mkdir -p "$archives" "$target"
for name in libsqlite3.a libz.a libstdc++.a; do
    ln -sf "$(realpath -e "$(clang -print-file-name="$name")")" "$archives/$name" ||
        { echo "package: install libsqlite3-dev, zlib1g-dev and libstdc++-12-dev" >&2; exit 1; }
done
sed "s|^libdir=.*|libdir=$archives|" "$(pkg-config --variable=pcfiledir sqlite3)/sqlite3.pc" >"$archives/sqlite3.pc"
export PKG_CONFIG_PATH="$PWD/$archives"

# For --version; `-dirty` if the commit is not what is built.
if commit="$(git describe --always --abbrev=12 --exclude='*' --dirty 2>/dev/null)"; then
    export STOREKEEPER_BUILD="$commit $(git log -1 --format=%cs)"
fi

# A separate folder, because static linking compiles references to other libraries than dynamic linking. LLVM's linker
# searches archives that depend on each other as often as needed.
swift build --scratch-path .build/packing --configuration release --product storekeeper --static-swift-stdlib \
    -debug-info-format none -Xswiftc -use-ld=lld -Xlinker -s -Xswiftc -L -Xswiftc "$archives" >&2
cp .build/packing/release/storekeeper "$target/"
echo "$target/storekeeper: $("$target/storekeeper" --version), $(du -h "$target/storekeeper" | cut -f1)"
