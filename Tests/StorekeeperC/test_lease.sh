#!/usr/bin/env bash
# Tests the example that checks a lease in C++, with leases that are signed here by openssl.
#
# usage: test_lease.sh PROGRAM
set -euo pipefail
program="$1"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
cd "$work"

openssl ecparam -name prime256v1 -genkey -noout -out key.pem 2>/dev/null

# lease NAME HEADER BODY: signs a lease, and writes the key as a JSON Web Key Set.
lease() {
    python3 - "$@" <<'END'
import base64, json, subprocess, sys

def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()

name, header, body = sys.argv[1:]
text = f"{encoded(header.encode())}.{encoded(body.encode())}"
der = subprocess.run(["openssl", "dgst", "-sha256", "-sign", "key.pem"], input=text.encode(), capture_output=True,
                     check=True).stdout
halves, place = b"", 2
for _ in range(2):
    length = der[place + 1]
    halves += der[place + 2:place + 2 + length].lstrip(b"\0").rjust(32, b"\0")
    place += 2 + length
open(name, "w").write(f"{text}.{encoded(halves)}\n")
point = subprocess.run(["openssl", "ec", "-in", "key.pem", "-pubout", "-outform", "DER"], capture_output=True,
                       check=True).stdout[-64:]
json.dump({"keys": [{"kty": "EC", "kid": "other", "x": "AA", "y": "AA"},
                    {"kty": "EC", "crv": "P-256", "kid": "k1", "x": encoded(point[:32]), "y": encoded(point[32:])}]},
          open("keys.json", "w"))
END
}

soon="$(($(date +%s) + 300))"
body() { printf '{"iss":"%s","sub":"%s","iat":1,"exp":%s,"features":["ad-free","pro"]}' "$@"; }
lease good '{"alg":"ES256","kid":"k1"}' "$(body com.example.game anna "$soon")"
lease old '{"alg":"ES256","kid":"k1"}' "$(body com.example.game anna 1000)"
lease weak '{"alg":"HS256","kid":"k1"}' "$(body com.example.game anna "$soon")"
lease unknown '{"alg":"ES256","kid":"k2"}' "$(body com.example.game anna "$soon")"
# Another customer, in the body of a lease that was signed for anna.
sed "s/\.[^.]*\./.$(body com.example.game ben "$soon" | base64 -w0 | tr '+/' '-_' | tr -d '=')./" good >changed

[[ "$("$program" good keys.json com.example.game anna)" == '"ad-free","pro"' ]]
# refuses LEASE BUNDLE-ID CUSTOMER
refuses() {
    if "$program" "$1" keys.json "$2" "$3" 2>/dev/null; then
        echo "test_lease: the lease '$1' is accepted for $3 of $2" >&2
        exit 1
    fi
}
for name in old weak unknown changed keys.json; do
    refuses "$name" com.example.game anna
    refuses "$name" com.example.game ben
done
refuses good com.example.game ben
refuses good com.example.other anna
echo "1 lease is accepted, 12 are refused"
