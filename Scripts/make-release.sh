#!/usr/bin/env bash
# Makes the artefacts of a release in .build/distribution, and tests them: an archive, Debian packages, a Python
# wheel, an image, a bill of materials, and their sums. `make release` runs it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source Scripts/project.sh
umask 022
# Manual pages and lists are the same in every language of the machine.
export LC_ALL=C

Scripts/package.sh >&2
Scripts/c-library.sh >&2
program=.build/package/storekeeper
version="$("$program" --version | cut -d' ' -f1)"
commit="$(git rev-parse HEAD)"
name="storekeeper-$version-linux-$(uname -m)"

target=.build/distribution
rm -rf "$target"
mkdir -p "$target"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
tree="$work/$name"
mkdir -p "$tree"/{bin,lib/systemd/system} "$tree"/share/{bash-completion/completions,zsh/site-functions} \
    "$tree"/share/fish/vendor_completions.d "$tree"/share/doc/storekeeper/examples
install -m 755 "$program" "$tree/bin/storekeeper"
"$program" --generate-completion-script bash >"$tree/share/bash-completion/completions/storekeeper"
"$program" --generate-completion-script zsh >"$tree/share/zsh/site-functions/_storekeeper"
"$program" --generate-completion-script fish >"$tree/share/fish/vendor_completions.d/storekeeper.fish"
Scripts/distribution/manual-pages.sh "$program" "$tree/share/man/man1"
Scripts/distribution/licences.py .build/packing >"$tree/share/doc/storekeeper/LICENCES.txt"
# Links to files that the examples contain lead there, and links to other documents to the repository.
sed -e "s,](\.\./,]($repository/blob/$version/,g" \
    -e 's,](\([A-Za-z]*\(\.conf\|\.yaml\|\.yml\|\.json\|file\)\)),](examples/\1),g' \
    Deployment/README.md >"$tree/share/doc/storekeeper/README.md"
cp CHANGELOG.md "$tree/share/doc/storekeeper/"
cp Deployment/{nginx.conf,Caddyfile,litestream.yml,compose.yaml,kubernetes.yaml,dashboard.json} \
    Deployment/debian/storekeeper.yaml Configuration/Store.storekit Configuration/Products.json \
    Configuration/evidence/root.pem Configuration/evidence/*.jsonl "$tree/share/doc/storekeeper/examples/"
cp -R -P .build/c-library/include .build/c-library/lib "$tree/"
cp -R Bindings "$tree/share/doc/storekeeper/"
sed 's,file:///usr/share/doc/,file:///usr/local/share/doc/,' Deployment/storekeeper.service \
    >"$tree/lib/systemd/system/storekeeper.service"

tar -C "$work" --owner=0 --group=0 --numeric-owner -czf "$target/$name.tar.gz" "$name"
Scripts/distribution/debian-package.sh "$tree" "$version" \
    "$target/storekeeper_${version}_$(dpkg --print-architecture).deb"
Scripts/distribution/debian-library.sh .build/c-library "$tree/share/doc/storekeeper/LICENCES.txt" "$version" "$target"
Scripts/distribution/python-wheel.py .build/c-library/lib/libstorekeeper.so.0 "$version" "$target" >&2
Scripts/distribution/image.py "$program" "$version" "$commit" "$target/$name.oci.tar" "$work/packages" >&2
Scripts/distribution/bill-of-materials.py "$version" "$commit" "$program" "$work/packages" >"$target/$name.cdx.json"
(cd "$target" && sha256sum -- *) >"$work/sums"
mv "$work/sums" "$target/SHA256SUMS"
(cd "$target" && ls -l --block-size=1 | awk 'NR > 1 { printf "%6.1f MB  %s\n", $5 / 1e6, $9 }')
Scripts/release-test.sh
