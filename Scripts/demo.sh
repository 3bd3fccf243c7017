#!/usr/bin/env bash
# Builds the command line and shows what it does on the files in Configuration/.
#
# Each story in Configuration/evidence is NAME.jsonl, what the App Store signed for one customer, and
# NAME.command, the words that follow `storekeeper` to ask about that customer: separated by spaces, unquoted,
# paths from the root of the repository.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly stories=(upgrade-mid-month grace-then-recovery coins-one-refunded)
readonly explained_product=gold.monthly

heading() {
    printf '\n── %s\n\n' "$1"
}

# Prints a command as one types it, then runs it.
storekeeper() {
    printf '$ storekeeper %s\n\n' "$*"
    "$binaries/storekeeper" "$@"
}

# Reads the words of a story's command into `command_words`.
read_command() {
    local file="Configuration/evidence/$1.command"
    if [[ ! -r "$file" ]]; then
        echo "demo: cannot read $file; restore it with: git checkout -- Configuration" >&2
        exit 1
    fi
    # A last line without an end is a line too, though `read` then returns 1.
    read -r -a command_words <"$file" || ((${#command_words[@]} > 0))
}

Scripts/install-prerequisites.sh

echo "Building storekeeper (the first build takes some minutes) …"
swift build --configuration release --product storekeeper
binaries="$(swift build --configuration release --show-bin-path)"
binaries="${binaries#"$PWD"/}"

heading "What the app sells"
storekeeper products Configuration/Store.storekit Configuration/Products.json

for story in "${stories[@]}"; do
    heading "What a customer owns: ${story//-/ }"
    read_command "$story"
    storekeeper "${command_words[@]}"
done

# The first story again, with the questions "why" and "when".
read_command "${stories[0]}"
heading "Why"
storekeeper explain "$explained_product" "${command_words[@]:1}"
heading "When"
storekeeper timeline "${command_words[@]:1}"

heading "Next"
cat <<EOF
The program is $binaries/storekeeper; add that folder to your PATH, then try

  storekeeper help
  storekeeper entitlements YOUR-EVIDENCE --root AppleRootCA-G3.cer --catalog YOUR.storekit
  make test
EOF
