#!/usr/bin/env bash
# Sends valid and invalid requests to the companion service and the local App Store with schemathesis, generated from their
# descriptions: no response may be a server error, or missing from /openapi.yaml.
#
# usage: check-service.sh [SECONDS]
#
# SECONDS (20) is the duration for each. Set SEED to the printed seed to repeat a run. Installs schemathesis from PyPI into
# .build/schemathesis.
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
source Scripts/served.sh
cd "$folder"

# ask WORDS…: starts `storekeeper serve` with arguments, tests it, and ends it. Uses `options` for schemathesis.
#
# Not checked: that every request that matches the description succeeds. An explanation needs one of two parameters, a
# time range its start before its end, and no schema can describe a signature or a step. Without a rate limit, requests
# without a key are refused as guesses of keys.
ask() {
    start "$storekeeper" serve "$@" --port 0 --format json 2>served.log
    "$repository/$home/bin/schemathesis" run "$url/openapi.yaml" "${options[@]}" \
        --exclude-checks positive_data_acceptance --max-time "$seconds" --rate-limit 70/s --request-timeout 20 --continue-on-failure \
        --warnings off ${SEED:+--seed "$SEED"}
    if grep ' error ' served.log >&2; then
        echo "check-service: errors were written to the log" >&2
        return 1
    fi
    finish
}

cat >storekeeper.yaml <<END
bundleID: com.example.lanternvale
root: $repository/Configuration/evidence/root.pem
catalogs: [$repository/Configuration/Store.storekit, $repository/Configuration/Products.json]
vault: customers.sqlite
END
"$storekeeper" vault init >&2
"$storekeeper" vault import --customer anna "$repository/Configuration/evidence/coins-one-refunded.jsonl" >&2
"$storekeeper" serve --new-lease-key lease.pem 2>/dev/null
key="$("$storekeeper" serve --new-key questions --scope admin 2>/dev/null)"

# The stream of events does not end.
options=(--header "Authorization: Bearer $key" --exclude-operation-id events)
ask --lease-key lease.pem --desk true --open-rate 0
options=()
ask --local-app-store "$repository/Configuration/scenarios/a-family-and-its-coins.yaml"
