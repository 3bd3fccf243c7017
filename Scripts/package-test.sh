#!/usr/bin/env bash
# Packages the companion service and runs it in a separate root with the program, the libraries that the image installs,
# and the folder of its data; configured with the variables of the image.
#
# It packages a debug build, which takes five minutes. The separate root needs root privileges; without them, the program
# runs in the normal file system.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

source Scripts/served.sh

CONFIGURATION=debug Scripts/package.sh "$folder/package"
root="$folder/root"
data="$root/var/lib/storekeeper"
mkdir -p "$root/usr/local/bin" "$root/tmp" "$root/proc" "$data"
cp "$folder/package/storekeeper" "$root/usr/local/bin/"
ldd "$folder/package/storekeeper" | grep -oE '/[^ ]+' | while read -r library; do
    # libgcc-s1 and libc6, as the image has them.
    case "$(basename "$library")" in
        libgcc_s.so.1 | libc.so.6 | libm.so.6 | libdl.so.2 | libpthread.so.0 | ld-linux-*) ;;
        *)
            echo "package-test: Deployment/Dockerfile installs no package with $library" >&2
            exit 1
            ;;
    esac
    install -D "$library" "$root$library"
done

cp Configuration/Store.storekit Configuration/evidence/root.pem "$data/"
cat >"$data/storekeeper.yaml" <<END
bundleID: com.example.lanternvale
root: root.pem
catalogs: [Store.storekit]
vault: customers.sqlite
END
# The variables of the image, and its working folder.
read -r -a variables < <(sed -n 's/^ENV //p' Deployment/Dockerfile)
[[ ${#variables[@]} -gt 0 ]]
port="$(free_port)"
# Standard output has only the address, which `start` reads.
variables+=("STOREKEEPER_SERVE_PORT=$port" STOREKEEPER_SERVE_LOG_TO=error)
if ((UID == 0)); then
    # Swift reads the arguments of the process from /proc.
    run=(unshare --mount sh -c 'mount --rbind /proc "$1/proc" && exec python3 -c "$0" "$@"' 'import os, sys
os.chroot(sys.argv[1])
os.chdir("/var/lib/storekeeper")
os.execv("/usr/local/bin/storekeeper", ["storekeeper"] + sys.argv[2:])' "$root")
else
    run=(env -C "$data" "$root/usr/local/bin/storekeeper")
fi
storekeeper() { env -i PATH="$PATH" "${variables[@]}" "${run[@]}" "$@"; }

storekeeper vault init
key="$(storekeeper serve --new-key test --scope check 2>/dev/null)"
start env -i PATH="$PATH" "${variables[@]}" "${run[@]}" serve --format json
curl -sf --retry 20 --retry-connrefused --retry-delay 1 "http://127.0.0.1:$port/health/ready" >/dev/null
answer="$(curl -sf -H "Authorization: Bearer $key" "http://127.0.0.1:$port/v1/customers/anna/entitlements")"
[[ "$answer" == *gold.monthly* ]] || {
    echo "package-test: the service answers $answer" >&2
    exit 1
}
finish
echo "package-test: the packaged service answers, and ends on SIGTERM"
