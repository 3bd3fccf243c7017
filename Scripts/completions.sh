#!/usr/bin/env bash
# Writes completions for bash, zsh and fish to .build/completions and prints where to install them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

swift build --quiet --configuration release --product storekeeper
program="$(swift build --configuration release --show-bin-path)/storekeeper"
folder=.build/completions
mkdir -p "$folder"
"$program" --generate-completion-script bash >"$folder/storekeeper.bash"
"$program" --generate-completion-script zsh >"$folder/_storekeeper"
"$program" --generate-completion-script fish >"$folder/storekeeper.fish"
cat <<EOF
$folder/storekeeper.bash  copy to ~/.local/share/bash-completion/completions/storekeeper
$folder/_storekeeper      copy to a folder of your zsh's fpath
$folder/storekeeper.fish  copy to ~/.config/fish/completions/
EOF
