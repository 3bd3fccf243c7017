#!/usr/bin/env bash
# Follows Documentation/Guides/EmbedInSwift.md in an empty folder: writes its two files, runs them, and compares the output.
#
# The package is the one here instead of the one in the manifest, and the build is that of the repository.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

folder=.build/embed
rm -rf "$folder"
mkdir -p "$folder/Sources/Game"
# The first two Swift blocks, and the first block without a language.
python3 - "$folder" <<'END'
import pathlib, re, sys

folder = pathlib.Path(sys.argv[1])
page = pathlib.Path("Documentation/Guides/EmbedInSwift.md").read_text(encoding="utf-8")
manifest, program, *_ = re.findall(r"^```swift\n(.*?)^```$", page, re.M | re.S)
[output] = re.findall(r"^```\n(ad-free.*?)^```$", page, re.M | re.S)
address = re.compile(r"url: \"https://[^\"]*\", from: \"[^\"]*\", traits: \[[^\]]*\]")
if not address.search(manifest):
    raise SystemExit("embed: the manifest does not name the package's address")
(folder / "Package.swift").write_text(address.sub('name: "storekeeper", path: "../.."', manifest))
(folder / "Sources/Game/main.swift").write_text(program)
(folder / "expected.txt").write_text(output)
END
[[ ! -f Package.resolved ]] || cp Package.resolved "$folder/"
game=(--package-path "$folder" --scratch-path .build --disable-build-manifest-caching)
swift build "${game[@]}" --product Game >&2
swift run "${game[@]}" --skip-build Game >"$folder/output.txt"
diff "$folder/expected.txt" "$folder/output.txt"
