# Sourced by the scripts that ask a service: a folder of its own to serve in, and what was started there, which ends with
# the script.
#
# Sets `folder`, which is gone at the end, and `started`, the processes that are ended then.

folder="$(mktemp -d)"
started=()
end_served() {
    for process in ${started[@]+"${started[@]}"}; do kill "$process" 2>/dev/null || true; done
    wait
    rm -rf "$folder"
}
trap end_served EXIT

# start COMMAND…: starts what says on standard output where it listens, as `storekeeper serve --format json` does, and
# sets `url` to that and `service` to the process.
start() {
    rm -f "$folder/served.json"
    "$@" >"$folder/served.json" &
    service=$!
    started+=("$service")
    for _ in $(seq 100); do
        [[ -s "$folder/served.json" ]] && break
        sleep 0.1
    done
    url="$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["url"])' "$folder/served.json")"
}

# finish: ends what was started last, and returns what it exits with.
finish() {
    unset 'started[-1]'
    kill "$service"
    wait "$service"
}

# free_port: prints a port of this machine that nobody listens on.
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
