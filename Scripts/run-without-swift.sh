#!/usr/bin/env bash
# Runs the example in C in a root folder that has only the program, the library, and the system's libraries that these need.
#
# usage: run-without-swift.sh PROGRAM LIBRARY
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
program="$1" library="$2"
root="$(mktemp -d)"
trap 'rm -rf "$root"' EXIT

mkdir -p "$root/lib64" "$root/opt" "$root/proc" "$root/tmp"
needed="$(ldd "$library" | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p; s/^[[:space:]]*\(\/[^ ]*\) .*/\1/p')"
if grep -qi swift <<<"$needed"; then
    echo "run-without-swift: the library needs libraries of Swift: $needed" >&2
    exit 1
fi
for file in $needed; do
    mkdir -p "$root$(dirname "$file")"
    cp -L "$file" "$root$file"
done
cp -L "$library" "$root/lib64/libstorekeeper.so.0"
cp "$program" "$root/opt/first"
cp Configuration/evidence/root.pem Configuration/Products.json Configuration/evidence/season-pass-and-remove-ads.jsonl \
    "$root/opt/"
# The Swift runtime reads /proc. Whoever is not root needs a system that permits user namespaces.
namespaces=(--mount --pid --fork --kill-child)
((EUID == 0)) || namespaces+=(--map-root-user)
output="$(unshare "${namespaces[@]}" bash -c '
    mount -t proc proc "$0/proc" && LD_LIBRARY_PATH=/lib64 exec chroot "$0" "$@"' "$root" \
    /opt/first /opt/root.pem /opt/Products.json /opt/season-pass-and-remove-ads.jsonl /tmp/vault.sqlite)"
printf '%s\n' "$output"
grep -qx 'ad-free: yes' <<<"$output"
grep -qx 'coins: 970' <<<"$output"
grep -q '"subject":{"feature":"ad-free"}' <<<"$output"
echo "It needs: $(ldd "$library" | awk '{ print $1 }' | xargs)"
