#!/usr/bin/env bash
# Follows Documentation/Guides/EmbedInSwift.md as typed: beside a folder `storekeeper`, writes its two files into an empty
# folder, runs them, and compares the output.
#
# The traits of the guide are other options of the compiler than those of the repository, so the build is one of its own.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export SWIFT_DETERMINISTIC_HASHING=1

folder=.build/embed/game
rm -rf "$folder"
mkdir -p "$folder/Sources/Game"
ln -sfn ../.. .build/embed/storekeeper
# The first two Swift blocks, and the first block without a language.
python3 - "$folder" <<'END'
import pathlib, re, sys

folder = pathlib.Path(sys.argv[1])
page = pathlib.Path("Documentation/Guides/EmbedInSwift.md").read_text(encoding="utf-8")
manifest, program, *_ = re.findall(r"^```swift\n(.*?)^```$", page, re.M | re.S)
[output] = re.findall(r"^```\n(ad-free.*?)^```$", page, re.M | re.S)
(folder / "Package.swift").write_text(manifest, encoding="utf-8")
(folder / "Sources/Game/main.swift").write_text(program, encoding="utf-8")
(folder / "expected.txt").write_text(output, encoding="utf-8")
END
# The versions of the repository, so that no others are fetched.
[[ ! -f Package.resolved ]] || cp Package.resolved "$folder/"
game=(--package-path "$folder" --scratch-path .build/embed/build)
swift build "${game[@]}" --product Game >&2
swift run "${game[@]}" --skip-build Game >"$folder/output.txt"
diff "$folder/expected.txt" "$folder/output.txt"
