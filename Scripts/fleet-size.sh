#!/usr/bin/env bash
# Measures a vault in PostgreSQL with many customers: its size, the depth of its indexes, the renewals per second, and the
# bottleneck; alternately with a small vault on the same server.
#
# usage: fleet-size.sh [CUSTOMERS]
#
# CUSTOMERS is by default 10,000,000. The vault writes a customer with a purchase of coins, and one with a subscription of
# two periods; the server copies their rows for all others, seven of the first to three of the second. TMPDIR needs about
# 5 kB per customer, and 5 GB. SMALL sets the customers of the small vault, LOAD_SECONDS the duration of each load,
# SHARED_BUFFERS the server's cache. The server is a separate one, and syncs while it is measured.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly customers="${1:-10000000}" small="${SMALL:-10000}" seconds="${LOAD_SECONDS:-20}" parts=Scripts/fleet-size
bin="${POSTGRES_BIN:-$(pg_config --bindir)}"
readonly bin
readonly common="-c shared_buffers=${SHARED_BUFFERS:-1GB} -c max_wal_size=4GB -c checkpoint_timeout=30min -c jit=off"
readonly filling="$common -c fsync=off -c full_page_writes=off -c wal_level=minimal -c max_wal_senders=0 -c autovacuum=off
    -c maintenance_work_mem=512MB -c max_parallel_maintenance_workers=0"
readonly serving="$common -c fsync=on -c track_io_timing=on"

build=(swift build --package-path Benchmarks --configuration release)
"${build[@]}" --product FleetLoad >&2
program="$("${build[@]}" --show-bin-path)/FleetLoad"
folder="$(mktemp -d)"
needed=$((customers / 200 + 5000))
if (($(df --output=avail --block-size=M "$folder" | tail -1 | tr -d 'M ') < needed)); then
    echo "fleet-size: TMPDIR has less than the required ${needed} MB" >&2
    rmdir "$folder"
    exit 1
fi
chmod 755 "$folder"
readonly program folder data="$folder/server"
server=""

stop() {
    [[ -z "$server" ]] || Scripts/postgres-server.sh stop "$data" >&2 || true
    server=""
}
trap 'stop; rm -rf "$folder"' EXIT

# Restarts the server with options.
start() {
    stop
    server="$(POSTGRES_OPTIONS="${1//$'\n'/ }" Scripts/postgres-server.sh start "$data")"
    server="${server%/*}"
}

# The same, with cold caches.
start_cold() {
    stop
    sync
    find "$data/base" -type f -size +0 -exec dd if={} iflag=nocache count=0 status=none \;
    start "$1"
}

# Reconfigures the running server, which keeps its caches.
set_to() { ask postgres --command "ALTER SYSTEM SET $1 = $2" --command 'SELECT pg_reload_conf()' >"/dev/null"; }

ask() { "$bin/psql" --no-psqlrc --quiet --tuples-only --no-align --set ON_ERROR_STOP=1 --dbname "$server/$1" "${@:2}"; }
say() { printf '%s  %s\n' "$(date +%T)" "$*"; }

# Fills a database: its name, its customers.
fill() {
    local facts files=(--set "customers=$2" --file)
    ask postgres --command "CREATE DATABASE $1"
    "$program" sample "$server/$1"
    ask "$1" "${files[@]}" "$parts/fill.sql"
    say "$1: adding $2 customers"
    ask "$1" "${files[@]}" "$parts/facts.sql" &
    facts=$!
    ask "$1" "${files[@]}" "$parts/rest.sql"
    wait "$facts"
    say "$1: making its indexes"
    ask "$1" --command "SELECT back || ';' FROM fleet.index WHERE away ~ '[. ]fact(_|\M)'" | ask "$1" &
    facts=$!
    ask "$1" --command "SELECT back || ';' FROM fleet.index WHERE away !~ '[. ]fact(_|\M)'" | ask "$1"
    wait "$facts"
    ask "$1" --command 'VACUUM (ANALYZE, FREEZE)'
    say "$1: filled, $(ask "$1" --command "SELECT pg_size_pretty(pg_database_size(current_database()))")"
}

# Prints the size of a database: its name, its customers.
sizes() {
    printf '\n%s: %s customers\n' "$1" "$2"
    ask "$1" --command 'CREATE EXTENSION IF NOT EXISTS pageinspect'
    "$bin/psql" --no-psqlrc --quiet --set ON_ERROR_STOP=1 --set customers="$2" --dbname "$server/$1" \
        --file "$parts/sizes.sql"
}

# Prints the server's counters of a database, and the processor time of the server and the machine.
count() {
    ask "$1" --command "SELECT pg_stat_force_next_flush()" --command "
        SELECT 'wal_bytes', pg_current_wal_insert_lsn() - '0/0' UNION ALL
        SELECT 'page_images', wal_fpi FROM pg_stat_wal UNION ALL
        SELECT 'syncs', wal_sync FROM pg_stat_wal UNION ALL
        SELECT 'commits', xact_commit FROM pg_stat_database WHERE datname = current_database() UNION ALL
        SELECT 'pages_read', blks_read FROM pg_stat_database WHERE datname = current_database() UNION ALL
        SELECT 'pages_hit', blks_hit FROM pg_stat_database WHERE datname = current_database() UNION ALL
        SELECT 'read_ms', blk_read_time FROM pg_stat_database WHERE datname = current_database() UNION ALL
        SELECT 'checkpoints', checkpoints_timed + checkpoints_req FROM pg_stat_bgwriter"
    awk '{ u = $14 + $15; if (NR == 1) u += $16 + $17; t += u } END { printf "server_ticks|%d\n", t }' \
        <(for pid in $(head -1 "$data/postmaster.pid") $(pgrep -P "$(head -1 "$data/postmaster.pid")"); do
            sed 's/([^)]*)/x/' "/proc/$pid/stat" 2>"/dev/null" || true
        done)
    awk '/^cpu / { printf "idle_ticks|%d\nall_ticks|%d\n", $5 + $6, $2 + $3 + $4 + $5 + $6 + $7 + $8 + $9 }' /proc/stat
}

# Renews subscriptions and prints the cost: a title, the database, its customers, the callers.
declare -A next=([small]=0 [large]=0)
renew() {
    ask "$2" --command CHECKPOINT
    sleep 2
    count "$2" >"$folder/before"
    printf '%s\n' "SELECT coalesce(wait_event_type || ' ' || wait_event, 'works') FROM pg_stat_activity
        WHERE backend_type = 'client backend' AND state = 'active' AND pid <> pg_backend_pid() \\watch 0.1" |
        "$bin/psql" --no-psqlrc --quiet --tuples-only --no-align --dbname "$server/postgres" >"$folder/waits" 2>&1 &
    local watcher=$!
    "$program" renew "$server/$2" "$3" "$4" "$seconds" "${next[$2]}" >"$folder/answer" ||
        { cat "$folder/answer" >&2; kill "$watcher"; return 1; }
    # Ended sessions have added their counters to the server's, and their time to its first process.
    sleep 0.5
    count "$2" >"$folder/after"
    kill "$watcher"
    wait "$watcher" 2>"/dev/null" || true
    next[$2]="$(sed -n 's/^next //p' "$folder/answer")"
    printf '\n%s\n' "$1"
    python3 "$parts/tell.py" "$folder" "$seconds"
}

start "$filling"
fill small "$small"
fill large "$customers"
start "$serving"
sizes small "$small"
sizes large "$customers"
start_cold "$serving"
renew "large, 64 callers, nothing in any cache" large "$customers" 64
for callers in 64 1000; do
    renew "small, $callers callers" small "$small" "$callers"
    renew "large, $callers callers" large "$customers" "$callers"
done
set_to wal_compression lz4
renew "large, 64 callers, wal_compression = lz4" large "$customers" 64
set_to wal_compression off
set_to full_page_writes off
renew "small, 64 callers, no page images (not to be set: what they cost)" small "$small" 64
renew "large, 64 callers, no page images (not to be set: what they cost)" large "$customers" 64
