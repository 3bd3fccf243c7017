#!/usr/bin/env bash
# Runs a command with a PostgreSQL server of its own, which STOREKEEPER_POSTGRES names to it, and stops the server.
#
# usage: with-postgres.sh COMMAND…
#
# POSTGRES_OPTIONS, where it is set, is what the server is started with, in place of what tests want.
# Where STOREKEEPER_POSTGRES names a server already, that one serves. Where no server's programs are installed, the
# command runs without one, and says which tests it leaves out; with STOREKEEPER_POSTGRES=required that fails.
set -euo pipefail

readonly scripts="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"

if [[ -n "${STOREKEEPER_POSTGRES:-}" && "$STOREKEEPER_POSTGRES" != required ]]; then
    exec "$@"
fi
if ! "$scripts/postgres-server.sh" has; then
    if [[ "${STOREKEEPER_POSTGRES:-}" == required ]]; then
        echo "with-postgres: a server is required, and none is installed; install PostgreSQL 13 or newer" >&2
        exit 1
    fi
    unset STOREKEEPER_POSTGRES
    echo "with-postgres: no PostgreSQL server is installed: what needs one is left out (Debian's package: postgresql)" >&2
    exec "$@"
fi

folder="$(mktemp -d)"
stop() {
    "$scripts/postgres-server.sh" stop "$folder" >&2 || true
    rm -rf "$folder"
}
trap stop EXIT
# Nothing that the tests write has to outlive the machine; those that want a disk say so, or start servers of their own.
options="${POSTGRES_OPTIONS:--c fsync=off -c max_connections=300}"
STOREKEEPER_POSTGRES="$(POSTGRES_OPTIONS="$options" "$scripts/postgres-server.sh" start "$folder")"
export STOREKEEPER_POSTGRES
"$@"
