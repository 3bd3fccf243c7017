#!/usr/bin/env bash
# Makes the Debian packages of the library for other languages, libstorekeeper0 and libstorekeeper-dev, without debhelper.
#
# usage: debian-library.sh LIBRARY LICENCES VERSION FOLDER
#
# LIBRARY is the folder that Scripts/c-library.sh has made, LICENCES the file with the licences of what is linked into it.
set -euo pipefail
library="$(realpath "$1")" licences="$(realpath "$2")" version="$3" target="$(realpath -m "$4")"
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source Scripts/project.sh
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
umask 022
architecture="$(dpkg --print-architecture)"
triplet="$(dpkg-architecture -qDEB_HOST_MULTIARCH 2>/dev/null || cc -print-multiarch)"
# The ABI, of which the soname has the number, is older than this version; the symbols may be newer.
soname=libstorekeeper.so.0
libc="$(dpkg-query -W -f '${Version}' libc6)"
# The packages of two architectures can be installed together only if the files outside of usr/lib/TRIPLET are equal.
released="@${SOURCE_DATE_EPOCH:-"$(git log -1 --format=%ct)"}"

# documents ROOT PACKAGE: the documents that each package has.
documents() {
    local folder="$1/usr/share/doc/$2"
    mkdir -p "$folder"
    {
        echo "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/"
        echo "Upstream-Name: storekeeper"
        echo "Source: $repository"
        echo
        echo "Files: *"
        echo "Copyright: $(date --utc --date="$released" +%Y) ${maintainer%% <*}"
        echo "License: ${licence:-unlicensed}"
        if [[ -z "$licence" ]]; then echo " No licence has been granted yet."; else echo " See $repository."; fi
        if [[ "$2" == libstorekeeper0 ]]; then
            echo
            echo "Files: usr/lib/*"
            echo "Copyright: the authors of the libraries in it"
            echo "License: libraries"
            echo " Their licences are in /usr/share/doc/libstorekeeper0/LICENCES.txt.gz."
        fi
    } >"$folder/copyright"
    gzip -n9 >"$folder/changelog.gz" <<END
storekeeper ($version) stable; urgency=medium

  * Release $version.

 -- $maintainer  $(date --utc --date="$released" -R)
END
}

# package ROOT: makes the package of a root, whose control file lacks the size.
package() {
    local root="$1" name size
    name="$(sed -n 's/^Package: //p' "$root/DEBIAN/control")"
    size="$(find "$root/usr" -type f -printf '%s\n' | awk '{ sum += int(($1 + 1023) / 1024) } END { print sum }')"
    sed -i "s/^Maintainer: .*/&\nInstalled-Size: $size/" "$root/DEBIAN/control"
    (cd "$root" && find usr -type f -exec md5sum {} +) >"$root/DEBIAN/md5sums"
    dpkg-deb --root-owner-group -Zxz --build "$root" "$target/${name}_${version}_$architecture.deb" >&2
}

root="$work/libstorekeeper0"
mkdir -p "$root/DEBIAN" "$root/usr/lib/$triplet" "$root/usr/share/lintian/overrides"
install -m 644 "$library/lib/libstorekeeper.so.$version" "$root/usr/lib/$triplet/"
ln -s "libstorekeeper.so.$version" "$root/usr/lib/$triplet/$soname"
documents "$root" libstorekeeper0
gzip -n9 <"$licences" >"$root/usr/share/doc/libstorekeeper0/LICENCES.txt.gz"
sed -n '/^#/p; s/^storekeeper:/libstorekeeper0:/p' Deployment/debian/lintian-overrides \
    >"$root/usr/share/lintian/overrides/libstorekeeper0"
echo "libstorekeeper 0 libstorekeeper0 (>= $version)" >"$root/DEBIAN/shlibs"
echo "activate-noawait ldconfig" >"$root/DEBIAN/triggers"
cat >"$root/DEBIAN/control" <<END
Package: libstorekeeper0
Source: storekeeper
Version: $version
Architecture: $architecture
Multi-Arch: same
Maintainer: $maintainer
Depends: libc6 (>= ${libc%%-*}), libgcc-s1
Recommends: ca-certificates
Suggests: libpq5
Section: libs
Priority: optional
Homepage: $repository
Description: App Store entitlements for servers in any language, shared library
 Storekeeper verifies the transactions that the App Store signed, keeps them in
 a vault, and answers what a customer owns right now, and why.
 .
 The package contains the shared library for programs that are not written in
 Swift. The runtime of Swift is linked into it.
END
package "$root"

root="$work/libstorekeeper-dev"
mkdir -p "$root/DEBIAN" "$root"/usr/lib/"$triplet"/{pkgconfig,cmake/Storekeeper} "$root/usr/share/lintian/overrides"
cp -r "$library/include" "$root/usr/include"
ln -s "$soname" "$root/usr/lib/$triplet/libstorekeeper.so"
# The descriptions of the archive find the prefix from their own place, which is another one here.
sed -e 's,^prefix=.*,prefix=/usr,' -e "s,^libdir=.*,libdir=\${prefix}/lib/$triplet," \
    "$library/lib/pkgconfig/storekeeper.pc" >"$root/usr/lib/$triplet/pkgconfig/storekeeper.pc"
cp "$library/lib/cmake/Storekeeper/StorekeeperConfigVersion.cmake" "$root/usr/lib/$triplet/cmake/Storekeeper/"
sed -e 's,"${CMAKE_CURRENT_LIST_DIR}/../../..",/usr,' -e "s,}/lib/libstorekeeper,}/lib/$triplet/libstorekeeper," \
    "$library/lib/cmake/Storekeeper/StorekeeperConfig.cmake" \
    >"$root/usr/lib/$triplet/cmake/Storekeeper/StorekeeperConfig.cmake"
documents "$root" libstorekeeper-dev
sed -n 's/^storekeeper: \(initial.*\)/libstorekeeper-dev: \1/p' Deployment/debian/lintian-overrides \
    >"$root/usr/share/lintian/overrides/libstorekeeper-dev"
mkdir -p "$root/usr/share/doc/libstorekeeper-dev/examples"
cp Examples/OtherLanguages/{first.c,server.cpp,CMakeLists.txt} "$root/usr/share/doc/libstorekeeper-dev/examples/"
cat >"$root/DEBIAN/control" <<END
Package: libstorekeeper-dev
Source: storekeeper
Version: $version
Architecture: $architecture
Multi-Arch: same
Maintainer: $maintainer
Depends: libstorekeeper0 (= $version)
Section: libdevel
Priority: optional
Homepage: $repository
Description: App Store entitlements for servers in any language, headers
 Storekeeper verifies the transactions that the App Store signed, keeps them in
 a vault, and answers what a customer owns right now, and why.
 .
 The package contains the headers for C and C++, which document each function,
 descriptions for pkg-config and CMake, and two examples.
END
package "$root"
