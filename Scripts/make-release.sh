#!/usr/bin/env bash
# Makes the artefacts of a release in .build/distribution: an archive, a Debian package, an image, a bill of materials,
# the versions of the packages, and the sums of all. `make release` runs it.
#
# usage: make-release.sh [FOLDER]
#
# RESOLVED=FILE builds with the package versions in FILE, such as those of an earlier release. PROGRAM=FILE takes a
# program that is built already; its packages are in the folder SCRATCH. IMAGE=0 makes no image, which needs a mirror of
# Debian. LEVEL=1 and COMPRESSION=none compress less, for tests. DIRTY=1 permits changes that are not committed.
# SOURCE_DATE_EPOCH is by default the time of the commit. The same commit, packages, compiler and Debian give the same
# bytes in every folder.
set -euo pipefail
target="$(realpath -m "${1:-"$(dirname "${BASH_SOURCE[0]}")/../.build/distribution"}")"
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source Scripts/project.sh
umask 022
export LC_ALL=C TZ=UTC

if [[ -n "$(git status --porcelain --untracked-files=no)" ]]; then
    echo "make-release: the working tree differs from the commit; the artefacts will name a commit that they are not" >&2
    [[ "${DIRTY:-0}" == 1 ]] || exit 1
fi
commit="$(git rev-parse HEAD)"
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-"$(git log -1 --format=%ct)"}"

if [[ -z "${PROGRAM:-}" ]]; then
    Scripts/package.sh .build/package >&2
    PROGRAM=.build/package/storekeeper
    scratch=.build/packing
else
    scratch="${SCRATCH:-.build}"
fi
[[ -f "${RESOLVED:-Package.resolved}" ]] || { echo "make-release: there is no Package.resolved" >&2; exit 1; }
version="$("$PROGRAM" --version | cut -d' ' -f1)"
machine="$(uname -m)"
name="storekeeper-$version-linux-$machine"

rm -rf "$target"
mkdir -p "$target"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
tree="$work/$name"
mkdir -p "$tree"/{bin,lib/systemd/system} "$tree"/share/{bash-completion/completions,zsh/site-functions} \
    "$tree"/share/fish/vendor_completions.d "$tree"/share/doc/storekeeper/examples
install -m 755 "$PROGRAM" "$tree/bin/storekeeper"
"$PROGRAM" --generate-completion-script bash >"$tree/share/bash-completion/completions/storekeeper"
"$PROGRAM" --generate-completion-script zsh >"$tree/share/zsh/site-functions/_storekeeper"
"$PROGRAM" --generate-completion-script fish >"$tree/share/fish/vendor_completions.d/storekeeper.fish"
Scripts/distribution/manual-pages.py "$PROGRAM" "$tree/share/man/man1"
Scripts/distribution/licences.py "$scratch" >"$tree/share/doc/storekeeper/LICENCES.txt"
# Links to files that the examples contain lead there, and links to other documents to the repository.
sed -e "s,](\.\./,]($repository/blob/$version/,g" \
    -e 's,](\([A-Za-z]*\(\.conf\|\.yaml\|\.yml\|\.json\|file\)\)),](examples/\1),g' \
    Deployment/README.md >"$tree/share/doc/storekeeper/README.md"
cp CHANGELOG.md "$tree/share/doc/storekeeper/"
cp Deployment/{nginx.conf,Caddyfile,litestream.yml,compose.yaml,kubernetes.yaml,dashboard.json} \
    "$tree/share/doc/storekeeper/examples/"
cp Deployment/debian/storekeeper.yaml Configuration/Store.storekit Configuration/Products.json \
    "$tree/share/doc/storekeeper/examples/"
cp Configuration/evidence/root.pem Configuration/evidence/*.jsonl "$tree/share/doc/storekeeper/examples/"
sed 's,file:///usr/share/doc/,file:///usr/local/share/doc/,' Deployment/storekeeper.service \
    >"$tree/lib/systemd/system/storekeeper.service"

tar --create --directory "$work" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
    --format=gnu "$name" | gzip -n"${LEVEL:-9}" >"$target/$name.tar.gz"
Scripts/distribution/debian-package.sh "$tree" "$version" \
    "$target/storekeeper_${version}_$(dpkg --print-architecture).deb"
packages=()
if [[ "${IMAGE:-1}" != 0 ]]; then
    Scripts/distribution/image.py "$PROGRAM" "$version" "$commit" "$target/$name.oci.tar" "$work/packages" >&2
    packages=("$work/packages")
fi
cp "${RESOLVED:-Package.resolved}" "$target/storekeeper-$version.resolved"
Scripts/distribution/bill-of-materials.py "$version" "$commit" "${RESOLVED:-Package.resolved}" "$PROGRAM" \
    "${packages[@]}" >"$target/$name.cdx.json"
(cd "$target" && sha256sum -- *) >"$work/sums"
mv "$work/sums" "$target/SHA256SUMS"
(cd "$target" && ls -l --block-size=1 | awk 'NR > 1 { printf "%6.1f MB  %s\n", $5 / 1e6, $9 }')
