# Sourced by the scripts that .ci/run calls: measures the parts of a longer run.

# part NAME COMMAND…: runs a command and sets `part_seconds` to its duration. Returns the status of the command.
#
# If STOREKEEPER_PARTS names a file, appends a line: seconds, seconds of processor time, and the name, separated by tabs.
# Scripts/run-tests.py prints them.
part() {
    local name="$1" status=0 measured user system
    local TIMEFORMAT='%R %U %S'
    shift
    measured="$(mktemp)"
    # The command keeps the standard error of this script; the measurement goes to a file.
    { time "$@" 2>&3 3>&-; } 3>&2 2>"$measured" || status=$?
    read -r part_seconds user system <"$measured" || true
    rm -f "$measured"
    if [[ -n "${STOREKEEPER_PARTS:-}" ]]; then
        printf '%s\t%s\t%s\n' "$part_seconds" "$(awk "BEGIN { print $user + $system }")" "$name" >>"$STOREKEEPER_PARTS"
    fi
    return "$status"
}
