# Sourced by the scripts that build files of a release. Defines `static_build PRODUCT [OPTION…]`, which builds a product in
# release mode, with all libraries but libc linked in, in the folder $static_products.

# SQLite, zlib and the C++ library are linked in, too: a folder that contains only their archives is searched first. The
# description of SQLite for pkg-config names another folder, which SwiftPM would put before it.
readonly archives=.build/packing/archives
readonly static_products=.build/packing/release
mkdir -p "$archives"
for name in libsqlite3.a libz.a libstdc++.a; do
    ln -sf "$(realpath -e "$(clang -print-file-name="$name")")" "$archives/$name" ||
        { echo "${0##*/}: install libsqlite3-dev, zlib1g-dev and libstdc++-12-dev" >&2; exit 1; }
done
sed "s|^libdir=.*|libdir=$archives|" "$(pkg-config --variable=pcfiledir sqlite3)/sqlite3.pc" >"$archives/sqlite3.pc"

# A separate folder, because static linking compiles references to other libraries than dynamic linking. LLVM's linker
# searches archives that depend on each other as often as needed.
static_build() {
    PKG_CONFIG_PATH="$PWD/$archives" swift build --scratch-path .build/packing --configuration release \
        --product "$1" --static-swift-stdlib -debug-info-format none -Xswiftc -use-ld=lld -Xlinker -s \
        -Xswiftc -L -Xswiftc "$archives" "${@:2}" >&2
}
