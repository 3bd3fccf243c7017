#!/usr/bin/env bash
# Asks the companion service what its own description allows and what it forbids, with schemathesis: no answer may be a
# fault of the server, or one that /openapi.yaml does not name.
#
# usage: check-service.sh [SECONDS]
#
# SECONDS (20) is how long it goes on. The seed that it prints repeats a run: --seed is passed on by SEED. Gets
# schemathesis from PyPI into .build/schemathesis.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly seconds="${1:-20}" version=4.32.5 home=.build/schemathesis
if [[ "$(cat "$home/version" 2>/dev/null || true)" != "$version" ]]; then
    rm -rf "$home"
    python3 -m venv "$home" >/dev/null
    "$home/bin/pip" install --quiet --disable-pip-version-check --retries 2 "schemathesis==$version" >&2
    echo "$version" >"$home/version"
fi

swift build --quiet --product storekeeper
storekeeper="$PWD/.build/debug/storekeeper"
repository="$PWD"
folder="$(mktemp -d)"
service=
stop() {
    [[ -z "$service" ]] || kill "$service" 2>/dev/null || true
    wait
    rm -rf "$folder"
}
trap stop EXIT
cd "$folder"

cat >storekeeper.yaml <<END
bundleID: com.example.lanternvale
root: $repository/Configuration/evidence/root.pem
catalogs: [$repository/Configuration/Store.storekit, $repository/Configuration/Products.json]
vault: customers.sqlite
serve: {port: 0}
END
"$storekeeper" vault init >&2
"$storekeeper" vault import --customer anna "$repository/Configuration/evidence/coins-one-refunded.jsonl" >&2
"$storekeeper" serve --new-lease-key lease.pem 2>/dev/null
key="$("$storekeeper" serve --new-key questions --scope admin 2>/dev/null)"
"$storekeeper" serve --lease-key lease.pem --desk true --format json >served.json 2>served.log &
service=$!
for _ in $(seq 100); do
    [[ -s served.json ]] && break
    sleep 0.1
done
url="$(python3 -c 'import json; print(json.load(open("served.json"))["url"])')"

# What is left out: the stream of events, which has no end; and that whatever the schema allows is carried out: an
# explanation wants one of two parameters, a span of time its start before its end, and no schema says a signature.
status=0
"$repository/$home/bin/schemathesis" run "$url/openapi.yaml" --header "Authorization: Bearer $key" \
    --exclude-operation-id events --exclude-checks positive_data_acceptance --max-time "$seconds" \
    --request-timeout 20 --continue-on-failure --warnings off ${SEED:+--seed "$SEED"} || status=$?
if grep ' error ' served.log >&2; then
    echo "check-service: the service wrote errors into its log" >&2
    exit 1
fi
kill -0 "$service" || {
    echo "check-service: the service has ended" >&2
    exit 1
}
exit "$status"
