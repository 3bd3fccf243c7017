#!/usr/bin/env bash
# Checks the prerequisites of the build and the checks: Swift 6.2 or newer, git, the headers of SQLite, pkg-config, make,
# Python 3 with its virtual environments, curl and nm. With STOREKEEPER_POSTGRES=required also the programs of a
# PostgreSQL server, which tests start; with STOREKEEPER_BROWSER=required also Chromium and its driver, for the tests of
# the page.
#
# usage: install-prerequisites.sh [benchmarks|release]
#
# With `benchmarks` also wrk, which sends requests to the service. With `release` also what is linked into a packaged
# program, dpkg-deb, and the programs that test artefacts: mmdebstrap and lintian.
#
# Prints nothing if nothing is missing. On Debian and Ubuntu it installs missing packages; elsewhere, or without the
# rights, it prints what to install, and fails if a build needs it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly purpose="${1:-}"
readonly oldest_major=6 oldest_minor=2

say() {
    printf 'install-prerequisites: %s\n' "$@" >&2
}

fail() {
    say "$@"
    exit 1
}

check_swift() {
    local get="install Swift $oldest_major.$oldest_minor or newer from https://www.swift.org/install"
    command -v swift >/dev/null || fail "swift is not on the PATH; $get"
    local version major minor
    version="$(swift --version 2>/dev/null)" || fail "swift is on the PATH, but 'swift --version' fails; $get"
    [[ "$version" =~ Swift\ version\ ([0-9]+)\.([0-9]+) ]] || fail "'swift --version' names no version; $get"
    major="${BASH_REMATCH[1]}" minor="${BASH_REMATCH[2]}"
    if ((major < oldest_major || (major == oldest_major && minor < oldest_minor))); then
        fail "this is Swift $major.$minor; $get"
    fi
}

has_sqlite() {
    if command -v pkg-config >/dev/null && pkg-config --exists sqlite3; then return 0; fi
    [[ "$(uname -s)" == Darwin || -f /usr/include/sqlite3.h || -f /usr/local/include/sqlite3.h ]]
}

# PostgreSQL's client library, which is loaded at run time.
has_client() {
    [[ "$(uname -s)" == Darwin ]] || ! command -v ldconfig >/dev/null || ldconfig -p | grep -q 'libpq\.so\.5 '
}

# The archives that a packaged program is linked with.
has_archive() {
    local clang
    clang="$(dirname "$(command -v swift)")/clang"
    [[ -x "$clang" ]] || clang=clang
    # The path, if there is one; else only the name.
    [[ -f "$("$clang" -print-file-name="$1" 2>/dev/null)" ]]
}

# Prints the missing packages that a build needs, one per line.
missing_for_building() {
    command -v git >/dev/null || echo git
    has_sqlite || echo libsqlite3-dev
    command -v pkg-config >/dev/null || echo pkg-config
    if [[ "$purpose" == release ]]; then
        has_archive libz.a || echo zlib1g-dev
        has_archive libstdc++.a || echo libstdc++-12-dev
        command -v dpkg-deb >/dev/null || echo dpkg
    fi
}

# Prints the missing packages that only the checks, the tests and a part of the benchmarks need, one per line.
missing_beside() {
    if [[ "${STOREKEEPER_POSTGRES:-}" == required ]]; then
        Scripts/postgres-server.sh has || echo postgresql
        # The proxy of the fleet tests.
        command -v nginx >/dev/null || [[ -x /usr/sbin/nginx ]] || echo nginx-light
    fi
    if [[ "${STOREKEEPER_BROWSER:-}" == required ]]; then
        command -v chromedriver >/dev/null || printf '%s\n' chromium chromium-driver
    fi
    if [[ "$purpose" == benchmarks ]]; then
        command -v wrk >/dev/null || echo wrk
    elif [[ "$purpose" == release ]]; then
        command -v mmdebstrap >/dev/null || echo mmdebstrap
        command -v lintian >/dev/null || echo lintian
    fi
    if [[ "${STOREKEEPER_CMAKE:-}" == required ]]; then
        command -v cmake >/dev/null || echo cmake
    fi
    has_client || echo libpq5
    command -v c++ >/dev/null || echo g++
    command -v make >/dev/null || echo make
    command -v python3 >/dev/null || echo python3
    python3 -c 'import ensurepip' 2>/dev/null || echo python3-venv
    command -v curl >/dev/null || echo curl
    command -v nm >/dev/null || echo binutils
}

# Installs packages, if possible.
install_packages() {
    local -a as_root=()
    if ! command -v apt-get >/dev/null; then
        say "there is no apt-get here"
        return 1
    elif ((EUID != 0)); then
        if ! command -v sudo >/dev/null; then
            say "installing needs root, or sudo"
            return 1
        fi
        as_root=(sudo)
    fi
    say "installing $*"
    "${as_root[@]}" apt-get update -qq >&2 || return 1
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -qq -y --no-install-recommends "$@" >&2
}

check_swift
mapfile -t missing < <(missing_for_building && missing_beside)
if ((${#missing[@]} > 0)); then
    if ! install_packages "${missing[@]}"; then
        say "install by hand: ${missing[*]} (Debian's names; libsqlite3-dev is sqlite-devel on Fedora, sqlite-dev on Alpine)"
    fi
    still_missing="$(missing_for_building)"
    [[ -z "$still_missing" ]] || fail "cannot build without: ${still_missing//$'\n'/ }"
fi
