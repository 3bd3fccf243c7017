#!/usr/bin/env bash
# Tests the artefacts of a release in bare Debian roots without Swift and without network: the archive, the Debian package
# and the image.
#
# usage: release-test.sh [FOLDER [OLDER-FOLDER]]
#
# FOLDER is what make-release.sh made, by default .build/distribution. In a bare root each is installed, gives its first
# correct answer, and serves, all in 60 seconds. The package is upgraded from the one in OLDER-FOLDER; without it, from
# one with the same program and a lower version. Then it is removed and purged. A root that was made once is kept in
# .build/bare-root.tar. Exits with 3 if root privileges, namespaces, mmdebstrap or a mirror of Debian are missing.
# LIBRARIES=1 tests artefacts with a debug build, see check-artefacts.sh: its libraries are copied into the roots, and
# neither sizes nor lintian are checked.
set -euo pipefail
artefacts="$(realpath "${1:-"$(dirname "${BASH_SOURCE[0]}")/../.build/distribution"}")"
older="${2:+"$(realpath "$2")"}"
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cannot() {
    echo "release-test: not tested: $*" >&2
    exit 3
}
((EUID == 0)) || cannot "this needs root privileges"
command -v mmdebstrap >/dev/null || cannot "this needs mmdebstrap"
unshare --mount --net --pid --fork true 2>/dev/null || cannot "namespaces are not permitted"
work="$(mktemp -d)"
finish() {
    for process in $(jobs -p); do kill "$process" 2>/dev/null || true; done
    wait
    rm -rf --one-file-system "$work"
}
trap finish EXIT

fail() {
    echo "release-test: $*" >&2
    exit 1
}

(cd "$artefacts" && sha256sum --quiet --check SHA256SUMS) || fail "the sums are wrong"

if Scripts/deployment-tools.sh; then
    .build/deployment-tools/bin/python - "$artefacts"/*.cdx.json <<'END' || fail "the bill of materials is not valid"
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
with open(sys.argv[1], encoding="utf-8") as file:
    fault = JsonStrictValidator(SchemaVersion.V1_5).validate_str(file.read())
if fault:
    sys.exit(f"release-test: {fault}")
END
    echo "release-test: the bill of materials is valid CycloneDX 1.5"
fi

# inside ROOT COMMAND…: runs a command in a root, as its own init would: without network but a loopback, with /proc.
inside() {
    # shellcheck disable=SC2016
    unshare --mount --net --pid --fork --kill-child sh -c '
        root="$1"; shift
        ip link set lo up 2>/dev/null || python3 -c "
import fcntl, socket, struct
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
fcntl.ioctl(s, 0x8914, struct.pack(\"16sh\", b\"lo\", 0x41))"
        mount -t proc proc "$root/proc"
        exec chroot "$root" "$@"' sh "$@"
}

# What a new user does with an installed program: an answer, a vault, a key, a service, and a request to it.
cat >"$work/first-minute" <<'END'
set -eu
documents="$1" bin="$2"
export HOME=/tmp PATH="$bin:/usr/bin:/bin" COLUMNS=80
mkdir -p /tmp/first && cd /tmp/first
said="$(storekeeper check gold.monthly "$documents/season-pass-and-remove-ads.jsonl" --root "$documents/root.pem" \
    --bundle-id com.example.lanternvale --catalog "$documents/Store.storekit" --at 2026-06-01T12:00:00Z 2>/dev/null || true)"
[ "${said%% *}" = never ] || { echo "the answer about gold.monthly is $said"; exit 1; }
said="$(storekeeper check season.pass "$documents/season-pass-and-remove-ads.jsonl" --root "$documents/root.pem" \
    --bundle-id com.example.lanternvale --catalog "$documents/Store.storekit" --catalog "$documents/Products.json" \
    --at 2026-06-01T12:00:00Z 2>/dev/null || true)"
[ "${said%% *}" = entitled ] || { echo "the answer about season.pass is $said"; exit 1; }
echo "first answer: $said"
printf 'bundleID: com.example.lanternvale\nroot: %s/root.pem\ncatalogs: [%s/Store.storekit]\n' \
    "$documents" "$documents" >storekeeper.yaml
storekeeper vault init >/dev/null
storekeeper serve --new-key test --scope check >key 2>/dev/null
STOREKEEPER_SERVE_LOG_TO=output STOREKEEPER_SERVE_LOG_FORMAT=json storekeeper serve >log &
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
echo "the service answered, and ended on SIGTERM"
END

bare=.build/bare-root.tar
if [[ ! -f "$bare" ]]; then
    source /etc/os-release
    # The name does not end in .tar, so that mmdebstrap cannot guess the format.
    mmdebstrap --quiet --variant=minbase --format=tar "$VERSION_CODENAME" "$bare.new" ||
        cannot "mmdebstrap made no root of $VERSION_CODENAME"
    mv "$bare.new" "$bare"
fi
add_libraries() {
    [[ -n "${LIBRARIES:-}" ]] || return 0
    ldd .build/debug/storekeeper | grep -oE '/[^ ]+' | while read -r library; do
        [[ -e "$1$library" ]] || install -D "$library" "$1$library"
    done
}
fresh() {
    mkdir -p "$work/$1"
    tar -xf "$bare" -C "$work/$1"
    cp "$work/first-minute" "$work/$1/tmp/"
    add_libraries "$work/$1"
    ! inside "$work/$1" sh -c 'command -v swift' || fail "the bare root has Swift"
}

# limited WHAT COMMAND…: fails if a command takes 60 seconds or more.
limited() {
    local what="$1" start="$SECONDS"
    shift
    "$@" || fail "$what failed"
    ((SECONDS - start < 60)) || fail "$what took $((SECONDS - start)) s"
    echo "release-test: $what: $((SECONDS - start)) s"
}

archive="$(ls "$artefacts"/storekeeper-*-linux-"$(uname -m)".tar.gz)"
fresh archive
install_archive() {
    tar -xzf "$archive" --strip-components=1 -C "$work/archive/usr/local" &&
        inside "$work/archive" sh /tmp/first-minute /usr/local/share/doc/storekeeper/examples /usr/local/bin
}
limited "archive: installed, answers and serves" install_archive
program="$work/archive/usr/local/bin/storekeeper"
python3 - "$program" <<'END'
import os, subprocess, sys, time
size = os.path.getsize(sys.argv[1]) / 1e6
times = []
for _ in range(20):
    start = time.perf_counter()
    subprocess.run([sys.argv[1], "--version"], check=True, stdout=subprocess.DEVNULL)
    times.append((time.perf_counter() - start) * 1000)
print(f"release-test: the program has {size:.1f} MB; --version takes {min(times):.1f} ms at best, "
      f"{sorted(times)[10]:.1f} ms in the median")
# Swift's own libraries are 14 MB of code and 9 MB of tables. A smaller program would be a slower one (-Osize).
if size >= 70 and not os.environ.get("LIBRARIES"):
    sys.exit("release-test: the program has 70 MB or more")
if min(times) >= 10 and not os.environ.get("LIBRARIES"):
    sys.exit("release-test: --version takes 10 ms or more at best")
END

package="$(ls "$artefacts"/storekeeper_*_"$(dpkg --print-architecture)".deb)"
if [[ -z "${LIBRARIES:-}" ]] && command -v lintian >/dev/null; then
    lintian --fail-on warning --tag-display-limit 0 "$package" >&2 || fail "lintian"
    echo "release-test: lintian finds nothing"
fi
fresh package
root="$work/package"
if [[ -n "$older" ]]; then
    before="$(ls "$older"/storekeeper_*_"$(dpkg --print-architecture)".deb)"
else
    # The same package as an older version.
    dpkg-deb -R "$package" "$work/older"
    sed -i 's/^Version: .*/&~older/' "$work/older/DEBIAN/control"
    echo '# an older comment' >>"$work/older/etc/storekeeper/storekeeper.yaml"
    before="$work/storekeeper-older.deb"
    dpkg-deb --root-owner-group -Znone --build "$work/older" "$before" >/dev/null
fi
cp "$before" "$root/tmp/before.deb"
cp "$package" "$root/tmp/storekeeper.deb"
install_package() {
    inside "$root" dpkg -i /tmp/before.deb >/dev/null &&
        inside "$root" sh /tmp/first-minute /usr/share/doc/storekeeper/examples /usr/bin
}
limited "package: installed, answers and serves" install_package
inside "$root" sh -euc '
    getent passwd storekeeper >/dev/null
    [ "$(stat -c "%U:%G %a" /var/lib/storekeeper)" = "storekeeper:storekeeper 700" ]
    [ "$(stat -c "%U:%G %a" /etc/storekeeper)" = "root:storekeeper 750" ]
    cd /var/lib/storekeeper
    runuser -u storekeeper -- storekeeper vault init --config /etc/storekeeper/storekeeper.yaml >/dev/null
    [ -f customers.sqlite ]
    echo "# mine" >>/etc/storekeeper/storekeeper.yaml' || fail "the package is not set up"
inside "$root" dpkg -i --force-confold /tmp/storekeeper.deb >/dev/null || fail "the upgrade failed"
inside "$root" sh -euc '
    tail -n 1 /etc/storekeeper/storekeeper.yaml | grep -qx "# mine"
    cd /var/lib/storekeeper
    runuser -u storekeeper -- storekeeper vault verify --config /etc/storekeeper/storekeeper.yaml \
        --root /usr/share/doc/storekeeper/examples/root.pem >/dev/null' || fail "the upgrade lost settings or the vault"
echo "release-test: package: upgraded from $(dpkg-deb -f "$before" Version), with its settings and vault"
# As `systemctl enable` makes it.
inside "$root" sh -euc 'mkdir -p /etc/systemd/system/multi-user.target.wants
    ln -s /lib/systemd/system/storekeeper.service /etc/systemd/system/multi-user.target.wants/'
inside "$root" dpkg --remove storekeeper >/dev/null || fail "the removal failed"
inside "$root" sh -euc '[ ! -e /usr/bin/storekeeper ] && [ -f /var/lib/storekeeper/customers.sqlite ] &&
    [ -f /etc/storekeeper/storekeeper.yaml ]' || fail "removing removed too much or too little"
inside "$root" dpkg --purge storekeeper >/dev/null || fail "the purge failed"
left="$(inside "$root" find / -xdev -path /proc -prune -o -path /tmp -prune -o -iname '*storekeeper*' -print)"
[[ -z "$left" ]] || fail "the purge leaves $left"
echo "release-test: package: removed with the vault kept, and purged without a trace"

image="$(ls "$artefacts"/storekeeper-*.oci.tar 2>/dev/null || true)"
if [[ -n "$image" ]]; then
    mkdir "$work/image"
    python3 - "$image" "$work/image" "$work/config.json" <<'END'
import gzip, io, json, os, sys, tarfile
with tarfile.open(sys.argv[1]) as layout:
    read = lambda entry: layout.extractfile("blobs/" + entry["digest"].replace(":", "/")).read()
    manifest = json.loads(read(json.load(layout.extractfile("index.json"))["manifests"][0]))
    config = json.loads(read(manifest["config"]))
    # Docker reads its own manifest, unless it stores images in containerd.
    docker = json.load(layout.extractfile("manifest.json"))[0]
    if [docker["Config"], *docker["Layers"]] != [
            "blobs/" + entry["digest"].replace(":", "/") for entry in [manifest["config"], *manifest["layers"]]]:
        sys.exit("release-test: the image's two manifests differ")
    size = 0
    for entry in manifest["layers"]:
        data = gzip.decompress(read(entry))
        size += len(data)
        with tarfile.open(fileobj=io.BytesIO(data)) as layer:
            layer.extractall(sys.argv[2], numeric_owner=True)
json.dump(config, open(sys.argv[3], "w"))
print(f"release-test: the image has {size / 1e6:.0f} MB")
if size >= 120e6 and not os.environ.get("LIBRARIES"):
    sys.exit("release-test: the image has 120 MB or more")
if config["config"]["User"].split(":")[0] in ("", "0", "root"):
    sys.exit("release-test: the image runs as root")
END
    mapfile -t variables < <(python3 -c 'import json, sys; print(*json.load(open(sys.argv[1]))["config"]["Env"], sep="\n")' \
        "$work/config.json")
    add_libraries "$work/image"
    state="$work/image/var/lib/storekeeper"
    cp Configuration/Store.storekit Configuration/evidence/root.pem "$state/"
    printf 'bundleID: com.example.lanternvale\nroot: root.pem\ncatalogs: [Store.storekit]\n' >"$state/storekeeper.yaml"
    # The image has no shell, so that Python starts the program in it, read-only but for its folder.
    cat >"$work/contained.py" <<'END'
import os, subprocess, sys, time
root, variables = sys.argv[1], dict(word.split("=", 1) for word in sys.argv[3:])
def enter():
    os.chroot(root)
    os.chdir("/var/lib/storekeeper")
    os.setgroups([])
    os.setgid(65532)
    os.setuid(65532)
def run(*words, **options):
    return subprocess.run(["/usr/local/bin/storekeeper", *words], preexec_fn=enter, env=variables,
                          capture_output=True, text=True, **options)
for words in (["vault", "init"], ["serve", "--new-key", "test", "--scope", "check"]):
    done = run(*words)
    if done.returncode:
        sys.exit(f"{words}: {done.stderr}")
service = subprocess.Popen(["/usr/local/bin/storekeeper", "serve"], preexec_fn=enter, env=variables,
                           stdout=subprocess.PIPE, text=True)
for _ in range(100):
    if run("serve", "--is-ready").returncode == 0:
        break
    time.sleep(0.2)
else:
    service.kill()
    sys.exit("the image's service is not ready: " + service.stdout.read())
service.terminate()
said = service.stdout.read()
if service.wait() != 0 or not all(line.startswith("{") for line in said.splitlines()):
    sys.exit(f"the image's service ended with {service.returncode}: {said}")
END
    contain() {
        # shellcheck disable=SC2016
        unshare --mount --net --pid --fork --kill-child sh -c 'root="$1"
            python3 -c "
import fcntl, socket, struct
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
fcntl.ioctl(s, 0x8914, struct.pack(\"16sh\", b\"lo\", 0x41))"
            mount --bind "$root" "$root"
            mount --bind "$root/var/lib/storekeeper" "$root/var/lib/storekeeper"
            mount -t proc proc "$root/proc"
            mount -o remount,bind,ro "$root"
            exec python3 "$2" "$@"' sh "$work/image" "$work/contained.py" "${variables[@]}"
    }
    chown -R 65532:65532 "$state"
    limited "image: serves read-only, not as root, and is healthy" contain
fi
