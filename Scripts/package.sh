#!/usr/bin/env bash
# Packages the companion service in a folder: one program that needs only libc, the systemd unit, the nginx configuration
# for a fleet, the dashboard, and their documentation.
#
# usage: package.sh [FOLDER]
#
# FOLDER is by default .build/package; it is emptied. Deployment/Dockerfile uses this script, too. CONFIGURATION=debug
# packages a debug build, which is faster to build. RESOLVED=FILE builds with the package versions in FILE.
set -euo pipefail
target="$(realpath -m "${1:-"$(dirname "${BASH_SOURCE[0]}")/../.build/package"}")"
cd "$(dirname "${BASH_SOURCE[0]}")/.."
configuration="${CONFIGURATION:-release}"

# Runs a command in the repository, which is at /mnt/storekeeper for the command: the compiler writes paths of sources
# into the program, and the same commit must give the same bytes in every folder.
at_fixed_place() {
    local -a apart=(unshare --mount)
    ((EUID == 0)) || apart=(unshare --user --map-root-user --mount)
    if [[ "$PWD" == /mnt/* || ! -d /mnt ]] || ! "${apart[@]}" true 2>/dev/null; then
        echo "package: building in $PWD, whose path will be in the program (mount namespaces are not permitted)" >&2
        "$@"
        return
    fi
    # shellcheck disable=SC2016
    "${apart[@]}" sh -c 'mount -t tmpfs -o size=1m tmpfs /mnt && mkdir /mnt/storekeeper \
        && mount --bind "$0" /mnt/storekeeper && cd /mnt/storekeeper && exec "$@"' "$PWD" "$@"
}

# Makes a toolchain whose compiler has a cache of C modules for each Swift module; the rest is the installed one.
toolchain=.build/packing/toolchain
separate_caches() {
    local real
    real="$(dirname "$(dirname "$(realpath "$(command -v swiftc)")")")"
    rm -rf "$toolchain"
    mkdir -p "$toolchain/bin"
    ln -s "$real/lib" "$real/share" "$toolchain/"
    ln -s "$real"/bin/* "$toolchain/bin/"
    rm "$toolchain/bin/swiftc"
    cat >"$toolchain/bin/swiftc" <<END
#!/bin/sh
previous= module=
for word; do
    if [ "\$previous" = -module-name ]; then module="\$word"; fi
    previous="\$word"
done
exec "$real/bin/swiftc" "\$@" \${module:+-module-cache-path "\${0%/*}/../../caches/\$module"}
END
    chmod +x "$toolchain/bin/swiftc"
}

# LLVM's linker searches archives that depend on each other as often as needed, and writes relocations in a tenth of the
# space. Symbols for other programs would take 6 MB. With a section for each function it leaves out unused functions, not
# only unused files.
options=(-Xswiftc -Xfrontend -Xswiftc -function-sections)
options+=(-Xswiftc -use-ld=lld -Xlinker -z -Xlinker pack-relative-relocs -Xlinker --no-export-dynamic)

# SQLite, zlib and the C++ library are linked in, too: a folder that contains only their archives is searched first. The
# description of SQLite for pkg-config names another folder, which SwiftPM would put before it.
archives=.build/packing/archives
mkdir -p "$archives"
clang="$(dirname "$(command -v swift)")/clang"
[[ -x "$clang" ]] || clang=clang
for name in libsqlite3.a libz.a libstdc++.a; do
    archive="$("$clang" -print-file-name="$name")"
    if [[ ! -f "$archive" ]]; then
        echo "package: there is no $name; install libsqlite3-dev, zlib1g-dev and libstdc++-12-dev" >&2
        exit 1
    fi
    ln -sf "$(realpath "$archive")" "$archives/$name"
done
data="$(Scripts/distribution/icu-data.py "$(dirname "$clang")/../lib/swift_static/linux/lib_FoundationICU.a" \
    "$archives/icu-data.o")"
options+=(-Xlinker --wrap -Xlinker "$data" -Xlinker "$archives/icu-data.o")
options+=(-Xswiftc -L -Xswiftc "$archives")
sed "s|^libdir=.*|libdir=$archives|" "$(pkg-config --variable=pcfiledir sqlite3)/sqlite3.pc" >"$archives/sqlite3.pc"
export PKG_CONFIG_PATH="$PWD/$archives${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"

if [[ -n "${RESOLVED:-}" ]]; then
    cmp -s "$RESOLVED" Package.resolved || cp "$RESOLVED" Package.resolved
    options+=(--force-resolved-versions)
fi

# Built separately, because static linking compiles references to other libraries than dynamic linking.
build=(swift build --scratch-path .build/packing --configuration "$configuration" --product storekeeper
    --static-swift-stdlib "${options[@]}")
if [[ "$configuration" == release ]]; then
    # The commit and its day, for --version; `-dirty` if it is not what is built.
    if [[ -z "${STOREKEEPER_BUILD:-}" ]] && commit="$(git rev-parse --short=12 HEAD 2>/dev/null)"; then
        STOREKEEPER_BUILD="$commit $(TZ=UTC git log -1 --format=%cd --date=format-local:%Y-%m-%d)"
        [[ -z "$(git status --porcelain --untracked-files=no)" ]] || STOREKEEPER_BUILD="${STOREKEEPER_BUILD/ /-dirty }"
    fi
    export STOREKEEPER_BUILD="${STOREKEEPER_BUILD:-}"
    # The compiler's choice of registers depends on addresses: with random ones, about one object file in a thousand
    # differs from build to build. With fixed ones, several threads of a compiler still take memory in any order, and so
    # does the compiler that is the first to need a C module, because it builds the module in its own memory. Therefore
    # each compiler has one thread and a separate cache. SwiftPM writes some options in the order of a set.
    build+=(-Xswiftc -num-threads -Xswiftc 1)
    separate_caches
    fixed=(env SWIFT_DETERMINISTIC_HASHING=1 SWIFT_EXEC="$toolchain/bin/swiftc")
    if setarch --addr-no-randomize true 2>/dev/null; then
        fixed+=(setarch --addr-no-randomize)
    else
        echo "package: another build may give other bytes (random addresses cannot be turned off here)" >&2
    fi
    at_fixed_place "${fixed[@]}" "${build[@]}" -debug-info-format none >&2
else
    "${build[@]}" >&2
fi
program=".build/packing/$configuration/storekeeper"

rm -rf "$target"
mkdir -p "$target"
strip -o "$target/storekeeper" "$program"
cp Deployment/storekeeper.service Deployment/nginx.conf Deployment/dashboard.json Deployment/README.md "$target"

# Every Debian has the remaining libraries.
if ldd "$target/storekeeper" | grep -vE 'linux-vdso|ld-linux|lib(c|m|gcc_s|dl|pthread)\.so' >&2; then
    echo "package: the program needs libraries that are not included" >&2
    exit 1
fi
echo "$target: $("$target/storekeeper" --version), $(du -h "$target/storekeeper" | cut -f1)"
