#!/usr/bin/env bash
# Builds the library for other languages in release mode, with the Swift runtime linked in, and lays it out in FOLDER as
# below a prefix: include/, lib/ with descriptions for pkg-config and CMake.
#
# usage: c-library.sh [FOLDER]
#
# FOLDER is by default .build/c-library.
set -euo pipefail
folder="$(realpath -m "${1:-"$(dirname "${BASH_SOURCE[0]}")/../.build/c-library"}")"
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source Scripts/static-build.sh

header=Sources/CStorekeeper/include/storekeeper.h
version="$(sed -n 's/^#define SK_VERSION "\(.*\)"$/\1/p' "$header")"
# Releases with the same number here can replace each other.
soname=libstorekeeper.so.0

Scripts/c-header.py --map >.build/packing/storekeeper.map
# The library is never unloaded, because threads of the Swift runtime run in it.
STOREKEEPER_STATIC_RUNTIME=1 static_build StorekeeperC ${STOREKEEPER_JOBS:+-j "$STOREKEEPER_JOBS"} -Xlinker -soname="$soname" \
    -Xlinker --version-script="$PWD/.build/packing/storekeeper.map" -Xlinker -z -Xlinker nodelete

rm -rf "$folder"
mkdir -p "$folder/include" "$folder/lib/pkgconfig" "$folder/lib/cmake/Storekeeper"
cp "$header" "$folder/include/"
cp "$static_products/libStorekeeperC.so" "$folder/lib/libstorekeeper.so.$version"
ln -s "libstorekeeper.so.$version" "$folder/lib/$soname"
ln -s "$soname" "$folder/lib/libstorekeeper.so"
Scripts/c-header.py --check "$folder/lib/$soname"

# Both descriptions find the prefix from their own place, so that the folder can be moved.
cat >"$folder/lib/pkgconfig/storekeeper.pc" <<END
prefix=\${pcfiledir}/../..
Name: storekeeper
Description: What an App Store customer owns right now, and why
Version: $version
Cflags: -I\${prefix}/include
Libs: -L\${prefix}/lib -lstorekeeper
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
    INTERFACE_INCLUDE_DIRECTORIES "${_storekeeper_prefix}/include")
endif()
unset(_storekeeper_prefix)
END
echo "$folder/lib/libstorekeeper.so.$version: $(du -h "$folder/lib/libstorekeeper.so.$version" | cut -f1)"
