#!/usr/bin/env bash
# Measures the checks per second of the companion service, their latency, and the memory of the service, alternately with
# an endpoint of the same framework that only returns the same number of bytes.
#
# usage: service-load.sh [CUSTOMERS]
#
# CUSTOMERS (1,000,000) is the number of customers in the vault, a file. Requests are about random customers (cold), or
# about the same 10,000 (warm). SECONDS_EACH (10) is the duration of a turn, TURNS (5) their number, CONNECTIONS (32) the
# number of clients. It needs wrk; TMPDIR needs about 2 kB per customer.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

seconds="${SECONDS_EACH:-10}"
readonly customers="${1:-1000000}" turns="${TURNS:-5}" connections="${CONNECTIONS:-32}"
command -v wrk > /dev/null || {
    echo "service-load: wrk is not installed (Debian: apt-get install wrk)" >&2
    exit 1
}
build=(swift build --package-path Benchmarks --configuration release)
"${build[@]}" --product storekeeper >&2
"${build[@]}" --product ServiceLoad >&2
programs="$PWD/$("${build[@]}" --show-bin-path | sed "s|^$PWD/||")"
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
local headers = {["Authorization"] = "Bearer $key"}
math.randomseed(os.time())
request = function()
    return wrk.format("GET", "/v1/customers/customer-" .. math.random(0, customers - 1) .. "/features/pro", headers)
end
done = function(summary, latency, requests)
    local bad = summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.timeout
    io.write(string.format("%.0f %.3f %d\n", summary.requests / summary.duration * 1e6, latency:percentile(99) / 1000, bad))
end
END
turn() { wrk -t1 -c"$connections" -d"${seconds}s" -s ask.lua "$1" | tail -1; }
memory() { awk '/VmRSS/ {printf "%d", $2 / 1024}' "/proc/$service/status"; }

printf '%s customers in the vault (%s MB); %s callers, %s turns of %s s; an answer has %s bytes\n' "$customers" \
    "$(du -m customers.sqlite | cut -f1)" "$connections" "$turns" "$seconds" "${#answer}"
for number in $(seq "$turns"); do
    echo "bare $(ASKED=10000 turn "$bare/")" >> figures
    # A turn that is not recorded, because the cold turn has evicted the warm customers from memory.
    ASKED=10000 seconds=3 turn "$url/" > /dev/null
    echo "warm $(ASKED=10000 turn "$url/")" >> figures
    echo "cold $(ASKED="$customers" turn "$url/")" >> figures
    echo "memory after turn $number: $(memory) MB" >&2
done
python3 - "$(memory)" << 'END'
import statistics, sys
figures = {}
for line in open("figures"):
    name, rate, p99, bad = line.split()
    figures.setdefault(name, []).append((float(rate), float(p99), int(bad)))
middle = {name: [statistics.median(column) for column in zip(*rows)] for name, rows in figures.items()}
bare = middle["bare"]
print(f"{'':6}{'checks/s':>10}{'of bare':>9}{'p99 ms':>9}{'of bare':>9}{'failed':>8}")
for name in ("bare", "warm", "cold"):
    rate, p99, _ = middle[name]
    bad = sum(row[2] for row in figures[name])
    print(f"{name:6}{rate:10.0f}{rate / bare[0]:9.2f}{p99:9.2f}{p99 / bare[1]:9.2f}{bad:8d}")
print(f"the service takes {sys.argv[1]} MB")
sys.exit(1 if sum(row[2] for rows in figures.values() for row in rows) else 0)
END
