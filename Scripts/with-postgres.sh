#!/usr/bin/env bash
# Runs a command with a separate PostgreSQL server, whose address is in STOREKEEPER_POSTGRES, and stops the server.
#
# usage: with-postgres.sh COMMAND…
#
# POSTGRES_OPTIONS, if it is set, replaces the server's options for tests.
# If STOREKEEPER_POSTGRES already names a server, that server is used. If no server is installed, the command runs without
# one, and prints which tests are skipped; with STOREKEEPER_POSTGRES=required this is a failure.
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
    echo "with-postgres: no PostgreSQL server is installed: tests that need one are skipped (Debian's package: postgresql)" >&2
    exec "$@"
fi

folder="$(mktemp -d)"
stop() {
    "$scripts/postgres-server.sh" stop "$folder" >&2 || true
    rm -rf "$folder"
}
trap stop EXIT
# Most tests need no durability; tests that need a disk set it, or start separate servers.
options="${POSTGRES_OPTIONS:--c fsync=off -c max_connections=300}"
STOREKEEPER_POSTGRES="$(POSTGRES_OPTIONS="$options" "$scripts/postgres-server.sh" start "$folder")"
export STOREKEEPER_POSTGRES
"$@"
