#!/usr/bin/env bash
# Tests the artefacts that `make release` has made in .build/distribution in bare Debian roots without Swift and without
# network: the archive, the Debian package and the image are installed, give a first answer, and serve.
#
# It needs root privileges, mmdebstrap, and once a mirror of Debian: the bare root is kept in .build/bare-root.tar.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
artefacts=.build/distribution

fail() {
    echo "release-test: $*" >&2
    exit 1
}

((EUID == 0)) || fail "this needs root privileges"
if [[ "${1:-}" != --in-namespaces ]]; then
    (cd "$artefacts" && sha256sum --quiet --check SHA256SUMS) || fail "the sums are wrong"
    Scripts/deployment-tools.sh
    .build/deployment-tools/bin/python - "$artefacts"/*.cdx.json <<'END' || fail "the bill of materials is not valid"
import pathlib, sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
sys.exit(JsonStrictValidator(SchemaVersion.V1_5).validate_str(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")))
END
    lintian --fail-on warning --tag-display-limit 0 "$artefacts"/*.deb >&2 || fail "lintian"
    if [[ ! -f .build/bare-root.tar ]]; then
        source /etc/os-release
        # The name does not end in .tar, so that mmdebstrap cannot guess the format.
        mmdebstrap --quiet --variant=minbase --format=tar "$VERSION_CODENAME" .build/bare-root.new
        mv .build/bare-root.new .build/bare-root.tar
    fi
    work="$(mktemp -d)"
    trap 'rm -rf --one-file-system "$work"' EXIT
    # Nothing stays mounted and no process is left at the end.
    unshare --mount --net --pid --fork --kill-child "$0" --in-namespaces "$work"
    exit
fi
work="${2:?}"
# The loopback, without a program that a system may lack.
python3 -c 'import fcntl, socket, struct
fcntl.ioctl(socket.socket(socket.AF_INET, socket.SOCK_DGRAM), 0x8914, struct.pack("16sh", b"lo", 0x41))'

# What a new user does with an installed program: an answer, a vault, a key, a service, and a request to it.
cat >"$work/first-minute" <<'END'
set -eu
documents="$1" bin="$2"
export HOME=/tmp PATH="$bin:/usr/bin:/bin" COLUMNS=80
mkdir -p /tmp/first && cd /tmp/first
said="$(storekeeper check season.pass "$documents/season-pass-and-remove-ads.jsonl" --root "$documents/root.pem" \
    --bundle-id com.example.lanternvale --catalog "$documents/Store.storekit" --catalog "$documents/Products.json" \
    --at 2026-06-01T12:00:00Z 2>/dev/null || true)"
[ "${said%% *}" = entitled ] || { echo "the answer about season.pass is $said"; exit 1; }
printf 'bundleID: com.example.lanternvale\nroot: %s/root.pem\ncatalogs: [%s/Store.storekit]\n' \
    "$documents" "$documents" >storekeeper.yaml
storekeeper vault init >/dev/null
storekeeper serve --new-key test --scope check >key 2>/dev/null
STOREKEEPER_SERVE_LOG_TO=output storekeeper serve >log &
service=$!
tries=0
until storekeeper serve --is-ready >/dev/null 2>&1; do
    tries=$((tries + 1))
    [ "$tries" -lt 100 ] || { cat log; echo "the service is not ready"; exit 1; }
    sleep 0.2
done
# The root has no curl. Nothing is known about anna.
said="$(bash -euc 'exec 3<>/dev/tcp/127.0.0.1/8080
    printf "GET /v1/customers/anna/entitlements HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nConnection: close\r\n\r\n" "$1" >&3
    cat <&3' bash "$(cat key)")"
case "$said" in
    "HTTP/1.1 200 "*gold.monthly*) ;;
    *) echo "the service answers $said"; exit 1 ;;
esac
kill "$service"
wait "$service" || { echo "the service ended with $?"; exit 1; }
END

# fresh ROOT: makes a bare root.
fresh() {
    mkdir "$1"
    tar -xf .build/bare-root.tar -C "$1"
    mount -t proc proc "$1/proc"
    cp "$work/first-minute" "$1/tmp/"
}

start="$SECONDS"
passed() {
    echo "release-test: $*: $((SECONDS - start)) s"
    start="$SECONDS"
}

root="$work/archive"
fresh "$root"
tar -xzf "$artefacts"/storekeeper-*.tar.gz --strip-components=1 -C "$root/usr/local"
chroot "$root" sh /tmp/first-minute /usr/local/share/doc/storekeeper/examples /usr/local/bin || fail "archive"
passed "the archive is installed, answers and serves; its program has $(du -h "$root/usr/local/bin/storekeeper" | cut -f1)"

root="$work/package"
fresh "$root"
# The same package as an older version.
dpkg-deb -R "$artefacts"/storekeeper_*.deb "$work/older"
sed -i 's/^Version: .*/&~older/' "$work/older/DEBIAN/control"
echo '# an older comment' >>"$work/older/etc/storekeeper/storekeeper.yaml"
dpkg-deb --root-owner-group -Znone --build "$work/older" "$root/tmp/older.deb" >/dev/null
cp "$artefacts"/storekeeper_*.deb "$root/tmp/newer.deb"
chroot "$root" dpkg -i /tmp/older.deb >/dev/null || fail "the package is not installed"
chroot "$root" sh /tmp/first-minute /usr/share/doc/storekeeper/examples /usr/bin || fail "package"
passed "the package is installed, answers and serves"
chroot "$root" sh -euc '
    [ "$(stat -c "%U:%G %a" /var/lib/storekeeper)" = "storekeeper:storekeeper 700" ]
    [ "$(stat -c "%U:%G %a" /etc/storekeeper)" = "root:storekeeper 750" ]
    cd /var/lib/storekeeper
    runuser -u storekeeper -- storekeeper vault init --config /etc/storekeeper/storekeeper.yaml >/dev/null
    echo "# mine" >>/etc/storekeeper/storekeeper.yaml
    dpkg -i --force-confold /tmp/newer.deb >/dev/null
    tail -n 1 /etc/storekeeper/storekeeper.yaml | grep -qx "# mine"
    runuser -u storekeeper -- storekeeper vault verify --config /etc/storekeeper/storekeeper.yaml \
        --root /usr/share/doc/storekeeper/examples/root.pem >/dev/null' || fail "the upgrade failed, or lost something"
# The link is what `systemctl enable` makes.
chroot "$root" sh -euc '
    mkdir -p /etc/systemd/system/multi-user.target.wants
    ln -s /lib/systemd/system/storekeeper.service /etc/systemd/system/multi-user.target.wants/
    dpkg --remove storekeeper >/dev/null
    [ ! -e /usr/bin/storekeeper ]
    [ -f /var/lib/storekeeper/customers.sqlite ]
    [ -f /etc/storekeeper/storekeeper.yaml ]
    dpkg --purge storekeeper >/dev/null' || fail "the removal failed, or removed too much or too little"
left="$(find "$root" -xdev -path "$root/tmp" -prune -o -iname '*storekeeper*' -print)"
[[ -z "$left" ]] || fail "the purge leaves $left"
passed "the package is upgraded with its settings and vault, removed with the vault kept, and purged without a trace"

# The library: the example in C was linked where there is a compiler, and runs where there is only the package.
root="$work/library"
fresh "$root"
dpkg-deb -x "$artefacts"/libstorekeeper0_*.deb "$work/development"
dpkg-deb -x "$artefacts"/libstorekeeper-dev_*.deb "$work/development"
cc -std=c99 -I"$work/development/usr/include" Examples/OtherLanguages/first.c -o "$root/tmp/first" \
    -L"$(dirname "$(find "$work/development" -name libstorekeeper.so)")" -lstorekeeper || fail "the example is not linked"
cp "$artefacts"/libstorekeeper0_*.deb "$root/tmp/library.deb"
cp Configuration/evidence/root.pem Configuration/Products.json \
    Configuration/evidence/season-pass-and-remove-ads.jsonl "$root/tmp/"
chroot "$root" dpkg -i /tmp/library.deb >/dev/null || fail "the library is not installed"
said="$(chroot "$root" /tmp/first /tmp/root.pem /tmp/Products.json /tmp/season-pass-and-remove-ads.jsonl /tmp/vault.sqlite)"
[[ "$said" == "ad-free: yes"$'\n'"coins: 970"$'\n'* ]] || fail "the library answers $said"
passed "the library is installed, and answers a program in C"

root="$work/image"
python3 - "$artefacts"/*.oci.tar "$root" >"$work/variables" <<'END'
import io, json, sys, tarfile
with tarfile.open(sys.argv[1]) as layout:
    def path(entry):
        return "blobs/" + entry["digest"].replace(":", "/")
    def read(entry):
        return layout.extractfile(path(entry)).read()
    manifest = json.loads(read(json.load(layout.extractfile("index.json"))["manifests"][0]))
    # Docker reads its own manifest, unless it stores images in containerd.
    docker = json.load(layout.extractfile("manifest.json"))[0]
    if [docker["Config"], *docker["Layers"]] != list(map(path, [manifest["config"], *manifest["layers"]])):
        sys.exit("release-test: the image's two manifests differ")
    for entry in manifest["layers"]:
        with tarfile.open(fileobj=io.BytesIO(read(entry))) as layer:
            layer.extractall(sys.argv[2], numeric_owner=True)
    config = json.loads(read(manifest["config"]))["config"]
    if config["User"] != "65532:65532":
        sys.exit(f"release-test: the image runs as {config['User']}")
    print(*config["Env"], sep="\n")
END
mapfile -t variables <"$work/variables"
size="$(du -sh "$root" | cut -f1)"
state="$root/var/lib/storekeeper"
cp Configuration/Store.storekit Configuration/evidence/root.pem "$state/"
printf 'bundleID: com.example.lanternvale\nroot: root.pem\ncatalogs: [Store.storekit]\n' >"$state/storekeeper.yaml"
# Read-only but for the service's own folder.
mount --bind "$root" "$root"
mount --bind "$state" "$state"
mount -t proc proc "$root/proc"
mount -o remount,bind,ro "$root"
# The image has no shell.
in_image=(env -i "${variables[@]}" unshare --root="$root" --wd=/var/lib/storekeeper --setuid 65532 --setgid 65532
    /usr/local/bin/storekeeper)
"${in_image[@]}" vault init >/dev/null
"${in_image[@]}" serve --new-key test --scope check >/dev/null 2>&1
"${in_image[@]}" serve >"$work/log" &
service=$!
tries=0
until "${in_image[@]}" serve --is-ready >/dev/null 2>&1; do
    ((++tries < 100)) || fail "the image's service is not ready: $(cat "$work/log")"
    sleep 0.2
done
kill "$service"
wait "$service" || fail "the image's service ended with $?: $(cat "$work/log")"
passed "the image serves read-only, not as root, and is healthy; it has $size"
