#!/usr/bin/env bash
# Builds the library for other languages, and runs its tests in C, C++, Python and Rust.
#
# usage: test-c-library.sh [--built]
#
# With --built, the library that Scripts/c-library.sh has built last is tested. Rust is tested where there is a cargo.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source Scripts/parts.sh

folder="$PWD/.build/c-library"
work="$PWD/.build/c-tests"
[[ "${1:-}" == --built ]] || part "test: library for other languages: build" Scripts/c-library.sh "$folder"
mkdir -p "$work"

# A released header only grows.
newest="$(git tag --list '[0-9]*.[0-9]*.[0-9]*' | sort -V | tail -n 1)"
if [[ -n "$newest" ]] && git show "$newest:Sources/CStorekeeper/include/storekeeper.h" >"$work/released.h" 2>/dev/null; then
    Scripts/c-header.py --grown "$work/released.h"
fi
Scripts/c-header.py --check "$folder/lib/libstorekeeper.so.0"

library=(-I"$folder/include" -L"$folder/lib" -lstorekeeper -Wl,-rpath,"$folder/lib" -pthread -ldl)
warnings=(-Wall -Wextra -Werror -g -O1)

# The header alone, in the oldest languages that it supports.
echo '#include <storekeeper.h>' >"$work/header.c"
cc -std=c99 -pedantic "${warnings[@]}" -fsyntax-only -I"$folder/include" "$work/header.c"
c++ -std=c++11 -x c++ -pedantic "${warnings[@]}" -fsyntax-only -I"$folder/include" "$work/header.c"

cc -std=c11 "${warnings[@]}" Tests/StorekeeperC/tests.c -o "$work/tests" "${library[@]}"
mkdir -p "$work/copy"
cp "$folder/lib/libstorekeeper.so.0" "$work/copy/libother.so"
part "test: C" "$work/tests" Configuration "$work/copy/libother.so"

c++ -std=c++17 "${warnings[@]}" -IBindings/cpp Tests/StorekeeperC/tests.cpp -o "$work/tests_cpp" "${library[@]}"
c++ -std=c++17 "${warnings[@]}" -fno-exceptions -x c++ -IBindings/cpp -fsyntax-only -I"$folder/include" \
    -include storekeeper.hpp /dev/null
part "test: C++" "$work/tests_cpp" Configuration

export STOREKEEPER_LIBRARY="$folder/lib/libstorekeeper.so.0"
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$PWD/Bindings/python" \
    part "test: Python" python3 Tests/StorekeeperC/test_python.py Configuration "$folder/include/storekeeper.h"

if command -v cargo >/dev/null; then
    export STOREKEEPER_LIB_DIR="$folder/lib" LD_LIBRARY_PATH="$folder/lib" CARGO_TARGET_DIR="$work/rust"
    export STOREKEEPER_CONFIGURATION="$PWD/Configuration"
    part "test: Rust" cargo test --quiet --offline --manifest-path Bindings/rust/Cargo.toml
else
    echo "test: Rust is not tested, because there is no cargo"
fi

# The example of fifty lines, in a root that has only the library and what ldd lists.
cc -std=c99 "${warnings[@]}" Examples/OtherLanguages/first.c -o "$work/first" "${library[@]}"
part "test: without Swift" Scripts/run-without-swift.sh "$work/first" "$folder/lib/libstorekeeper.so.0"
