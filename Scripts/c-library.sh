#!/usr/bin/env bash
# Builds the library for other languages, and lays it out in FOLDER as below a prefix: include/, and lib/ with descriptions
# for pkg-config and CMake.
#
# usage: c-library.sh [--debug] [FOLDER]
#        c-library.sh --install PREFIX
#
# The library is built in release mode, with the Swift runtime linked in, and FOLDER is by default .build/c-library. With
# --debug, it is built with the rest of the package, needs the Swift runtime, and FOLDER is by default
# .build/c-library-debug. With --install, the library in .build/c-library is copied to PREFIX, which DESTDIR precedes, if it
# is set.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [[ "${1:-}" == --install ]]; then
    target="${DESTDIR:-}${2:?usage: c-library.sh --install PREFIX}"
    [[ -e .build/c-library/lib/libstorekeeper.so ]] || Scripts/c-library.sh
    mkdir -p "$target"
    cp -R -P .build/c-library/include .build/c-library/lib "$target/"
    echo "$target: include/storekeeper.h, lib/libstorekeeper.so"
    exit
fi
folder=.build/c-library
is_debug=
if [[ "${1:-}" == --debug ]]; then
    is_debug=1
    folder=.build/c-library-debug
    shift
fi
folder="$(realpath -m "${1:-$folder}")"

header=Sources/CStorekeeper/include/storekeeper.h
version="$(sed -n 's/^#define SK_VERSION "\(.*\)"$/\1/p' "$header")"
# Releases with the same number here can replace each other.
soname=libstorekeeper.so.0
map="$PWD/.build/storekeeper.map"
mkdir -p .build
Scripts/c-header.py --map >"$map"
# The library is never unloaded, because threads of the Swift runtime run in it.
options=(-Xlinker -soname="$soname" -Xlinker --version-script="$map" -Xlinker -z -Xlinker nodelete)
[[ -z "${STOREKEEPER_JOBS:-}" ]] || options+=(-j "$STOREKEEPER_JOBS")
if [[ -n "$is_debug" ]]; then
    swift build --product StorekeeperC "${options[@]}" >&2
    built="$(swift build --show-bin-path)"
else
    source Scripts/static-build.sh
    STOREKEEPER_STATIC_RUNTIME=1 static_build StorekeeperC --disable-local-rpath "${options[@]}"
    built="$static_products"
fi

rm -rf "$folder"
mkdir -p "$folder/include" "$folder/lib/pkgconfig" "$folder/lib/cmake/Storekeeper"
cp "$header" Bindings/cpp/storekeeper.hpp "$folder/include/"
cp "$built/libStorekeeperC.so" "$folder/lib/libstorekeeper.so.$version"
ln -s "libstorekeeper.so.$version" "$folder/lib/$soname"
ln -s "$soname" "$folder/lib/libstorekeeper.so"
# Linkers other than LLVM's leave some symbols of Swift visible; a release is linked with that one.
[[ -n "$is_debug" ]] || Scripts/c-header.py --check "$folder/lib/$soname"

# Both descriptions find the prefix from their own place, so that the folder can be moved.
cat >"$folder/lib/pkgconfig/storekeeper.pc" <<END
prefix=\${pcfiledir}/../..
libdir=\${prefix}/lib
Name: storekeeper
Description: What an App Store customer owns right now, and why
Version: $version
Cflags: -I\${prefix}/include
Libs: -L\${libdir} -lstorekeeper
END
cat >"$folder/lib/cmake/Storekeeper/StorekeeperConfigVersion.cmake" <<END
set(PACKAGE_VERSION $version)
if(PACKAGE_FIND_VERSION_MAJOR STREQUAL "${version%%.*}" AND NOT PACKAGE_FIND_VERSION VERSION_GREATER PACKAGE_VERSION)
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
elseif(NOT PACKAGE_FIND_VERSION)
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
endif()
END
cat >"$folder/lib/cmake/Storekeeper/StorekeeperConfig.cmake" <<'END'
get_filename_component(_storekeeper_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET Storekeeper::storekeeper)
  add_library(Storekeeper::storekeeper SHARED IMPORTED)
  set_target_properties(Storekeeper::storekeeper PROPERTIES
    IMPORTED_LOCATION "${_storekeeper_prefix}/lib/libstorekeeper.so.0"
    IMPORTED_SONAME libstorekeeper.so.0
    INTERFACE_INCLUDE_DIRECTORIES "${_storekeeper_prefix}/include")
endif()
unset(_storekeeper_prefix)
END
echo "$folder/lib/libstorekeeper.so.$version: $(du -h "$folder/lib/libstorekeeper.so.$version" | cut -f1)"
