#!/usr/bin/env bash
# Makes a Debian package from the tree of the release's archive, without debhelper.
#
# usage: debian-package.sh TREE VERSION FILE
#
# TREE is the unpacked archive. The package has a user and a unit for systemd, the settings in /etc/storekeeper, and the
# vault in /var/lib/storekeeper.
set -euo pipefail
tree="$(realpath "$1")" version="$2" target="$(realpath -m "$3")"
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source Scripts/project.sh
root="$(mktemp -d)"
trap 'rm -rf "$root"' EXIT
umask 022
chmod 755 "$root"

mkdir -p "$root"/{DEBIAN,etc/storekeeper,lib/systemd/system} "$root/usr/share/lintian/overrides"
mkdir -p "$root/usr/share/zsh"
cp -r "$tree/bin" "$root/usr/"
cp -r "$tree/share/." "$root/usr/share/"
# Debian's names for the folders of completions.
mv "$root/usr/share/zsh/site-functions" "$root/usr/share/zsh/vendor-completions"
documents="$root/usr/share/doc/storekeeper"
# A completion is read by a shell that runs already.
sed -i '1{/^#!/d}' "$root/usr/share/bash-completion/completions/storekeeper"
gzip -n9 "$root"/usr/share/man/man1/*.1
mv "$documents/CHANGELOG.md" "$documents/NEWS.md"
gzip -n9 "$documents/NEWS.md"

# The archive's unit has a dynamic user and its settings next to the vault.
sed -e 's,/usr/local/bin/,/usr/bin/,' -e 's,^DynamicUser=yes,User=storekeeper,' \
    -e 's,/etc/storekeeper.env,/etc/storekeeper/environment,' \
    -e 's,^WorkingDirectory=.*,&\nEnvironment=STOREKEEPER_CONFIG=/etc/storekeeper/storekeeper.yaml,' \
    -e '1,/^\[Unit\]/{/^#/d}' \
    Deployment/storekeeper.service >"$root/lib/systemd/system/storekeeper.service"
cp Deployment/debian/storekeeper.yaml "$root/etc/storekeeper/"
cp Deployment/debian/lintian-overrides "$root/usr/share/lintian/overrides/storekeeper"
echo /etc/storekeeper/storekeeper.yaml >"$root/DEBIAN/conffiles"
install -m 755 Deployment/debian/{postinst,prerm,postrm} "$root/DEBIAN/"

{
    echo "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/"
    echo "Upstream-Name: storekeeper"
    echo "Source: $repository"
    echo
    echo "Files: *"
    echo "Copyright: $(date +%Y) ${maintainer%% <*}"
    echo "License: ${licence:-unlicensed}"
    if [[ -z "$licence" ]]; then echo " No licence has been granted yet."; else echo " See $repository."; fi
    echo
    echo "Files: usr/bin/storekeeper"
    echo "Copyright: the authors of the libraries in it"
    echo "License: libraries"
    echo " Their licences are in /usr/share/doc/storekeeper/LICENCES.txt.gz."
} >"$documents/copyright"
gzip -n9 "$documents/LICENCES.txt"
cat <<END | gzip -n9 >"$documents/changelog.gz"
storekeeper ($version) stable; urgency=medium

  * Release $version; NEWS.md.gz has what is new.

 -- $maintainer  $(date -R)
END

# In KiB, each file rounded up; what du prints depends on the file system.
size="$(find "$root"/{usr,etc,lib} -type f -printf '%s\n' | awk '{ sum += int(($1 + 1023) / 1024) } END { print sum }')"
libc="$(dpkg-query -W -f '${Version}' libc6)"
cat >"$root/DEBIAN/control" <<END
Package: storekeeper
Version: $version
Architecture: $(dpkg --print-architecture)
Maintainer: $maintainer
Installed-Size: $size
Depends: libc6 (>= ${libc%%-*}), libgcc-s1, passwd
Recommends: ca-certificates
Suggests: libpq5, nginx | caddy
Section: net
Priority: optional
Homepage: $repository
Description: answers what an App Store customer owns right now, and why
 Storekeeper reads evidence that the App Store signed (transactions, renewal
 infos, notifications, responses of the App Store Server API), verifies it, and
 derives the customer's entitlements.
 .
 The package contains the program and the companion service, which answers your
 own servers over HTTP. The service is not started before it is configured.
END
(cd "$root" && find usr lib -type f -exec md5sum {} +) >"$root/DEBIAN/md5sums"
dpkg-deb --root-owner-group -Zxz --build "$root" "$target" >&2
