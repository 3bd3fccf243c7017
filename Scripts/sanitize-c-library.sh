#!/usr/bin/env bash
# Runs the tests of the library for other languages in C under the thread sanitizer, which also sees the Swift code.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The folder of the other sanitized tests; see Scripts/proof.py.
build=(swift build --scratch-path "${STOREKEEPER_SANITIZED:-.build/sanitized}" --sanitize thread)
"${build[@]}" --product StorekeeperC >&2
products="$(realpath "$("${build[@]}" --show-bin-path)")"
# The sanitizer has to be that of Swift.
clang="$(dirname "$(command -v swift)")/clang"
runtime="$(swift -print-target-info | python3 -c 'import json, sys; print(json.load(sys.stdin)["paths"]["runtimeLibraryPaths"][0])')"
"$clang" -std=c11 -g -O1 -fsanitize=thread -ISources/CStorekeeper/include Tests/StorekeeperC/tests.c \
    -o "$products/library-tests" "$products/libStorekeeperC.so" -Wl,-rpath,"$products" \
    -L"$runtime" -ldispatch -lBlocksRuntime -Wl,-rpath,"$runtime" -lpthread -ldl
TSAN_OPTIONS="suppressions=$PWD/Scripts/thread-sanitizer.txt halt_on_error=0 exitcode=66" \
    "$products/library-tests" Configuration none
