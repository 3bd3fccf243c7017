#!/usr/bin/env bash
# A separate PostgreSQL server on loopback, for tests and measurements.
#
# usage: postgres-server.sh start FOLDER   creates a server in an empty folder, or starts the existing one, and prints the
#                                          connection string of its owner
#        postgres-server.sh standby FOLDER CONNECTION
#                                          makes a standby of a server in an empty folder, starts it, and prints its
#                                          connection string
#        postgres-server.sh stop FOLDER    stops it; its data stays
#        postgres-server.sh has            exits with 0 if the server's programs are installed
#
# The programs are found with pg_config; POSTGRES_BIN names another folder. A server never runs as root: for root it runs
# as the user `postgres`.
set -euo pipefail

readonly bin="${POSTGRES_BIN:-$(command -v pg_config >/dev/null && pg_config --bindir)}"

fail() {
    echo "postgres-server: $1" >&2
    exit 1
}

# Runs a program of the server as a user that it accepts, who may not be able to read this folder.
as_server() {
    if ((EUID == 0)); then
        (cd / && runuser -u postgres -- "$bin/$1" "${@:2}")
    else
        "$bin/$1" "${@:2}"
    fi
}

free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# Makes the server's user the owner of a folder.
give_away() {
    ((EUID != 0)) || chown postgres "$1"
    chmod 700 "$1"
}

start() {
    local folder="$1" port
    if [[ ! -f "$folder/PG_VERSION" ]]; then
        mkdir -p "$folder"
        give_away "$folder"
        as_server initdb --pgdata "$folder" --username storekeeper --auth trust --encoding UTF8 --no-locale \
            --no-sync >"/dev/null" || fail "cannot make a server in $folder"
    fi
    port="$(free_port)"
    as_server pg_ctl --pgdata "$folder" --silent --wait --timeout 60 --log "$folder/server.log" --options \
        "-c listen_addresses=127.0.0.1 -c port=$port -c unix_socket_directories='' ${POSTGRES_OPTIONS:-}" start \
        >/dev/null || fail "the server in $folder does not start; see $folder/server.log"
    echo "postgres://storekeeper@127.0.0.1:$port/postgres"
}

standby() {
    local folder="$1" primary="$2"
    mkdir -p "$folder"
    give_away "$folder"
    as_server pg_basebackup --dbname "$primary" --pgdata "$folder" --write-recovery-conf --wal-method stream \
        --checkpoint fast --no-sync >/dev/null || fail "cannot make a standby of $primary in $folder"
    start "$folder"
}

case "${1:-}" in
has) [[ -n "$bin" && -x "$bin/postgres" ]] ;;
start | stop | standby)
    [[ -n "${2:-}" ]] || fail "name a folder"
    [[ -n "$bin" && -x "$bin/postgres" ]] || fail "no server's programs; install PostgreSQL 13 or newer, or set POSTGRES_BIN"
    folder="$(realpath --canonicalize-missing "$2")"
    case "$1" in
    start) start "$folder" ;;
    standby) standby "$folder" "${3:?name the server to follow}" ;;
    stop) as_server pg_ctl --pgdata "$folder" --silent --mode fast stop ;;
    esac
    ;;
*) fail "usage: postgres-server.sh start FOLDER | standby FOLDER CONNECTION | stop FOLDER | has" ;;
esac
