# Sourced by the scripts that test a service: a temporary folder to serve in, and processes that end with the script.
#
# Sets `folder`, which is removed at the end, and `started`, the processes that are ended then.

source Scripts/unset-settings.sh
folder="$(mktemp -d)"
started=()
end_served() {
    for process in ${started[@]+"${started[@]}"}; do kill "$process" 2>/dev/null || true; done
    wait
    rm -rf "$folder"
}
trap end_served EXIT

# start COMMAND…: starts a program that prints its address like `storekeeper serve --format json`, and sets `url` to the
# address and `service` to the process.
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

# finish: ends the process that was started last, and returns its exit status.
finish() {
    unset 'started[-1]'
    kill "$service"
    wait "$service"
}

# free_port: prints an unused port of this machine.
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
