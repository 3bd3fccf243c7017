#!/usr/bin/env bash
# Builds the command line and runs it on the files in Configuration/.
#
# Each story in Configuration/evidence is NAME.jsonl, the signed evidence of one customer, and NAME.command, the arguments
# of `storekeeper` for a question about that customer: separated by spaces, unquoted, with paths from the root of the
# repository.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source Scripts/parts.sh
source Scripts/unset-settings.sh

readonly stories=(upgrade-mid-month grace-then-recovery coins-one-refunded)
readonly explained_product=gold.monthly

heading() {
    printf '\n── %s\n\n' "$1"
}

# Prints a command, wrapped before options, then runs it.
storekeeper() {
    local line='$ storekeeper' part
    local words=("$@")
    while ((${#words[@]} > 0)); do
        part="${words[0]}"
        words=("${words[@]:1}")
        # An option and its value stay together.
        if [[ "$part" == --* && ${#words[@]} -gt 0 && "${words[0]}" != --* ]]; then
            part+=" ${words[0]}"
            words=("${words[@]:1}")
        fi
        if ((${#line} + ${#part} + 3 > 80)); then
            printf '%s \\\n' "$line"
            line="    $part"
        else
            line+=" $part"
        fi
    done
    printf '%s\n\n' "$line"
    # Lines on standard error may be long; wrap them to the screen.
    local status=0
    "$binaries/storekeeper" "$@" 2>"$errors" || status=$?
    fold -s -w 80 "$errors" >&2
    return "$status"
}

# Reads the words of a story's command into `command_words`.
read_command() {
    local file="Configuration/evidence/$1.command"
    if [[ ! -r "$file" ]]; then
        echo "demo: cannot read $file; restore it with: git checkout -- Configuration" >&2
        exit 1
    fi
    # The last line may have no line feed; `read` then returns 1.
    read -r -a command_words <"$file" || ((${#command_words[@]} > 0))
}

# In a pipe or a file the width of tables is not limited.
[[ -t 1 ]] || export COLUMNS=80

Scripts/install-prerequisites.sh

echo "Building storekeeper (the first build takes some minutes) …"
part "demo: build" swift build --product storekeeper
binaries="$(swift build --show-bin-path)"
binaries="${binaries#"$PWD"/}"
errors="$(mktemp)"
trap 'rm -f "$errors"' EXIT

heading "What the app sells"
storekeeper products Configuration/Store.storekit Configuration/Products.json

for story in "${stories[@]}"; do
    heading "What a customer owns: ${story//-/ }"
    read_command "$story"
    storekeeper "${command_words[@]}"
done

# Asks "why" and "when" about the first story.
read_command "${stories[0]}"
heading "Why"
storekeeper explain "$explained_product" "${command_words[@]:1}"
heading "When"
storekeeper timeline "${command_words[@]:1}"

# Customers in a vault: each command is a separate process, and reads what earlier commands wrote.
vault_folder=.build/demo
rm -rf "$vault_folder"
mkdir -p "$vault_folder"
cp Configuration/evidence/coins-one-refunded.jsonl "$vault_folder/anna.jsonl"
cp Configuration/evidence/season-pass-and-remove-ads.jsonl "$vault_folder/bert.jsonl"
cat >"$vault_folder/storekeeper.yaml" <<EOF
root: ../../Configuration/evidence/root.pem
bundleID: com.example.lanternvale
catalogs: [../../Configuration/Store.storekit, ../../Configuration/Products.json]
vault: customers.sqlite
EOF
root="$PWD"
binaries="$root/$binaries"
cd "$vault_folder"

# Prints all data about both customers, for comparison.
all_answers() {
    local customer
    for customer in anna bert; do
        "$binaries/storekeeper" entitlements --customer "$customer" --at 2026-06-01T12:00:00Z --format json
        "$binaries/storekeeper" vault history --customer "$customer" --format json
    done
}

heading "Customers kept in a vault (with the settings in $vault_folder/storekeeper.yaml)"
storekeeper vault init
storekeeper vault import --customer anna anna.jsonl
storekeeper vault import --customer bert bert.jsonl

heading "Spending coins: once for each key, and never more than there are"
storekeeper vault spend --customer anna coins 120 --key lantern-7
storekeeper vault spend --customer anna coins 120 --key lantern-7
storekeeper vault spend --customer anna coins 100000 --key castle-1 || echo "(exit status $?)"

heading "What happened to the coins"
storekeeper vault history --customer anna

heading "After a restart"
before="$(all_answers)"
"$binaries/storekeeper" vault import --customer bert bert.jsonl bert.jsonl >/dev/null 2>&1 &
import=$!
kill -9 "$import" 2>/dev/null || true
wait "$import" 2>/dev/null || true
if [[ "$(all_answers)" != "$before" ]]; then
    echo "demo: the vault has changed" >&2
    exit 1
fi
echo "A program was killed while the vault was open."
echo "Every answer, balance and entry is unchanged."
echo
storekeeper vault verify
cd "$root"
binaries="${binaries#"$root"/}"

heading "An App Store in a box: a story, and what the engine answers"
storekeeper simulate Configuration/scenarios/a-family-and-its-coins.yaml

heading "Next"
cat <<EOF
The program is
  $root/$binaries/storekeeper
Find it by its name, then try

  export PATH=$(printf %q "$root/$binaries"):\$PATH

  storekeeper help
  storekeeper simulate Configuration/scenarios
  storekeeper simulate --interactive Configuration/scenarios/grace.yaml
  storekeeper local-app-store Configuration/scenarios/grace.yaml
  storekeeper entitlements YOUR-EVIDENCE --root AppleRootCA-G3.cer \\
    --catalog YOUR.storekit
  make test
EOF

if [[ -n "${STOREKEEPER_DEMO_PAGE:-}" ]]; then
    heading "The same story on a page: open it in a browser"
    exec storekeeper local-app-store Configuration/scenarios/a-family-and-its-coins.yaml
fi
