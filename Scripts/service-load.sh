#!/usr/bin/env bash
# Measures the checks per second of the companion service, their latency, and the memory of the service, alternately with
# an endpoint of the same framework that only returns the same number of bytes. `make bench` appends the table to its own.
#
# A check also hashes the key, finds the customer's answers, evaluates them at the present instant, writes JSON and counts
# itself in the metrics, which takes half as long as the framework takes for the request: hence the target of 0.6.
#
# usage: service-load.sh [CUSTOMERS]
#
# CUSTOMERS (1,000,000) is the number of customers in the vault, a file. Requests of 32 clients are about random customers
# (cold), or about the same 10,000 (warm). It needs wrk, without which it exits with 3; TMPDIR needs about 2 kB per
# customer.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly customers="${1:-1000000}" turns=3 seconds=10 connections=32
command -v wrk > /dev/null || {
    printf '\nChecks over HTTP\n  not run: wrk is not installed (Debian: apt-get install wrk)\n'
    exit 3
}
build=(swift build --configuration release)
"${build[@]}" --product storekeeper >&2
"${build[@]}" --product ServiceLoad >&2
programs="$("${build[@]}" --show-bin-path)"
root="$PWD/Configuration/evidence/root.pem"
source Scripts/served.sh
cd "$folder"

cat > catalog.json << 'END'
{"products": [{"id": "lifetime", "type": "nonConsumable"}], "features": {"pro": ["lifetime"]}}
END
cat > storekeeper.yaml << END
bundleID: com.example.game
root: $root
catalogs: catalog.json
vault: customers.sqlite
serve: {port: 0}
END
echo "filling a vault with $customers customers" >&2
"$programs/ServiceLoad" fill customers.sqlite "$customers"
key="$("$programs/storekeeper" serve --new-key load --scope check 2> /dev/null)"
start "$programs/storekeeper" serve --format json
answer="$(curl -sf -H "Authorization: Bearer $key" "$url/v1/customers/customer-0/features/pro")"
[[ "$answer" == *'"answer":"entitled"'* ]] || {
    echo "service-load: the service answers $answer" >&2
    exit 1
}
port="$(free_port)"
"$programs/ServiceLoad" bare "$port" "${#answer}" &
started+=($!)
bare="http://127.0.0.1:$port"
for _ in $(seq 100); do curl -sf "$bare/v1/customers/anna/features/pro" > /dev/null && break; sleep 0.1; done

cat > ask.lua << END
local customers = tonumber(os.getenv("ASKED"))
local ordered = os.getenv("ORDERED") ~= nil
local headers = {["Authorization"] = "Bearer $key"}
local last = -1
math.randomseed(os.time())
request = function()
    last = ordered and (last + 1) % customers or math.random(0, customers - 1)
    return wrk.format("GET", "/v1/customers/customer-" .. last .. "/features/pro", headers)
end
done = function(summary, latency, requests)
    local bad = summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.timeout
    io.write(string.format("%.0f %.3f %d\n", summary.requests / summary.duration * 1e6, latency:percentile(99) / 1000, bad))
end
END
turn() { wrk -t1 -c"$connections" -d"${seconds}s" -s ask.lua "$1" | tail -1; }
memory() { awk '/VmRSS/ {printf "%d", $2 / 1024}' "/proc/$service/status"; }

for number in $(seq "$turns"); do
    echo "bare $(ASKED=10000 turn "$bare/")" >> figures
    # A turn that is not recorded and asks about each warm customer, because the cold turn has evicted them from memory.
    ASKED=10000 ORDERED=1 turn "$url/" > /dev/null
    echo "warm $(ASKED=10000 turn "$url/")" >> figures
    echo "cold $(ASKED="$customers" turn "$url/")" >> figures
    echo "memory after turn $number: $(memory) MB" >&2
done
printf '\nChecks over HTTP, %s callers (medians of %s turns of %s s, answers of %s bytes)\n' "$connections" "$turns" \
    "$seconds" "${#answer}"
python3 - "$customers" "$(memory)" "$(du -m customers.sqlite | cut -f1)" << 'END'
import statistics, sys
figures = {}
for line in open("figures"):
    name, rate, p99, bad = line.split()
    figures.setdefault(name, []).append((float(rate), float(p99), int(bad)))
middle = {name: [statistics.median(column) for column in zip(*rows)] for name, rows in figures.items()}
bare = middle["bare"]
customers, memory, size = map(int, sys.argv[1:])
titles = {"bare": "a bare endpoint", "warm": "checks of 10,000 customers", "cold": f"checks of {customers:,} customers"}
print(f"  {'':30}{'per second':>12}{'of bare':>9}{'target':>9}{'met':>5}{'p99 ms':>9}{'of bare':>9}{'failed':>8}")
for name, title in titles.items():
    rate, p99, _ = middle[name]
    bad = sum(row[2] for row in figures[name])
    target, met = ("≥ 0.60", "yes" if rate >= 0.6 * bare[0] else "NO") if name == "warm" else ("", "")
    print(f"  {title:30}{rate:12,.0f}{rate / bare[0]:9.2f}{target:>9}{met:>5}{p99:9.2f}{p99 / bare[1]:9.2f}{bad:8d}")
print(f"  the service takes {memory} MB; its vault, {customers:,} customers, {size} MB")
sys.exit(1 if sum(row[2] for rows in figures.values() for row in rows) else 0)
END
