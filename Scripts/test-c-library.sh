#!/usr/bin/env bash
# Builds the library for other languages, and runs its tests in C, C++, Python, Rust, Go, C# and Java.
#
# usage: test-c-library.sh [--release | --built]
#
# Tests the library as it is built with the rest of the package; with --release as a release has it, and with --built as
# Scripts/c-library.sh has built it last. What only a release promises is tested there: no allocation, no runtime outside
# of the library, and two copies in one process. Rust, Go, C# and Java are tested where there is a cargo, a go, a dotnet or
# an mcs with a mono, and a Java of 22 or newer.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source Scripts/parts.sh

folder="$PWD/.build/c-library-debug"
work="$PWD/.build/c-tests"
is_release=
if (($# > 0)); then
    is_release=1
    folder="$PWD/.build/c-library"
fi
case "${1:-}" in
    --release) part "test: library for other languages: build" Scripts/c-library.sh ;;
    --built) ;;
    "") part "test: library for other languages: build" Scripts/c-library.sh --debug ;;
    *)
        echo "usage: test-c-library.sh [--release | --built]" >&2
        exit 64
        ;;
esac
mkdir -p "$work"

# A released header only grows.
newest="$(git tag --list '[0-9]*.[0-9]*.[0-9]*' | sort -V | tail -n 1)"
if [[ -n "$newest" ]] && git show "$newest:Sources/CStorekeeper/include/storekeeper.h" >"$work/released.h" 2>/dev/null; then
    Scripts/c-header.py --grown "$work/released.h"
fi
[[ -z "$is_release" ]] || Scripts/c-header.py --check "$folder/lib/libstorekeeper.so.0"

library=(-I"$folder/include" -L"$folder/lib" -lstorekeeper -Wl,-rpath,"$folder/lib" -pthread -ldl)
warnings=(-Wall -Wextra -Werror -g -O1)

# The header alone, in the oldest languages that it supports.
echo '#include <storekeeper.h>' >"$work/header.c"
cc -std=c99 -pedantic "${warnings[@]}" -fsyntax-only -I"$folder/include" "$work/header.c"
c++ -std=c++11 -x c++ -pedantic "${warnings[@]}" -fsyntax-only -I"$folder/include" "$work/header.c"

cc -std=c11 "${warnings[@]}" ${is_release:+-DIS_RELEASE} Tests/StorekeeperC/tests.c -o "$work/tests" "${library[@]}"
mkdir -p "$work/copy"
cp "$folder/lib/libstorekeeper.so.0" "$work/copy/libother.so"
part "test: C" "$work/tests" Configuration "$work/copy/libother.so"

# The same under the address sanitizer, which also sees the library's memory; and texts that nobody would send.
sanitizers=(-fsanitize=address,undefined -fno-sanitize-recover=undefined)
# The library of a release has no names, by which the one known leak is recognised.
export ASAN_OPTIONS="detect_stack_use_after_return=1${is_release:+:detect_leaks=0}"
export LSAN_OPTIONS="suppressions=$PWD/Scripts/leak-sanitizer.txt:print_suppressions=0"
if cc "${sanitizers[@]}" -std=c11 "${warnings[@]}" Tests/StorekeeperC/tests.c -o "$work/tests_asan" "${library[@]}"; then
    part "test: C, sanitized" "$work/tests_asan" Configuration "$work/copy/libother.so"
fi
cc -std=c11 "${warnings[@]}" Tests/StorekeeperC/fuzz.c -o "$work/fuzz" "${library[@]}"
part "test: C, random texts" "$work/fuzz" "${STOREKEEPER_FUZZ_SECONDS:-5}" "${STOREKEEPER_SEED:-1}" \
    Configuration/evidence/*.jsonl Configuration/Products.* Configuration/Store.storekit

c++ -std=c++17 "${warnings[@]}" -IBindings/cpp Tests/StorekeeperC/tests.cpp -o "$work/tests_cpp" "${library[@]}"
c++ -std=c++17 "${warnings[@]}" -fno-exceptions -x c++ -IBindings/cpp -fsyntax-only -I"$folder/include" \
    -include storekeeper.hpp /dev/null
part "test: C++" "$work/tests_cpp" Configuration

export STOREKEEPER_LIBRARY="$folder/lib/libstorekeeper.so.0"
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$PWD/Bindings/python" \
    part "test: Python" python3 Tests/StorekeeperC/test_python.py Configuration "$folder/include/storekeeper.h"

export LD_LIBRARY_PATH="$folder/lib" STOREKEEPER_CONFIGURATION="$PWD/Configuration"
if command -v cargo >/dev/null; then
    export STOREKEEPER_LIB_DIR="$folder/lib" CARGO_TARGET_DIR="$work/rust"
    part "test: Rust" cargo test --quiet --offline --manifest-path Bindings/rust/Cargo.toml
else
    echo "test: Rust is not tested, because there is no cargo"
fi

if command -v go >/dev/null; then
    CGO_CFLAGS="-I$folder/include" CGO_LDFLAGS="-L$folder/lib -Wl,-rpath,$folder/lib" \
        part "test: Go" env -C Bindings/go go test -count=1 .
else
    echo "test: Go is not tested, because there is no go"
fi

if command -v dotnet >/dev/null; then
    part "test: C#" dotnet run --project Tests/StorekeeperC/csharp --artifacts-path "$work/csharp"
elif command -v mcs >/dev/null && command -v mono >/dev/null; then
    mcs -warnaserror -langversion:7 -out:"$work/csharp.exe" Bindings/csharp/*.cs Tests/StorekeeperC/csharp/*.cs
    part "test: C#" mono "$work/csharp.exe"
else
    echo "test: C# is not tested, because there is neither a dotnet nor an mcs with a mono"
fi

java=
for candidate in "${JAVA_HOME:-/usr}/bin" /usr/lib/jvm/*/bin; do
    [[ -x "$candidate/javac" ]] || continue
    version="$("$candidate/javac" -version 2>&1 | sed -n 's/^javac \([0-9]*\).*/\1/p')"
    ((${version:-0} < 22)) || java="$candidate"
done
if [[ -n "$java" ]]; then
    "$java/javac" -Xlint:all,-restricted -Werror --release 22 -d "$work/java" \
        Bindings/java/storekeeper/*.java Tests/StorekeeperC/java/*.java
    part "test: Java" "$java/java" --enable-native-access=ALL-UNNAMED -cp "$work/java" Tests
else
    echo "test: Java is not tested, because there is no Java of 22 or newer"
fi

# The example that checks a lease of the service needs OpenSSL in place of the library.
if pkg-config --exists 'libcrypto >= 3' && command -v openssl >/dev/null; then
    c++ -std=c++17 "${warnings[@]}" Examples/OtherLanguages/lease.cpp -o "$work/lease" -lcrypto
    part "test: lease in C++" Tests/StorekeeperC/test_lease.sh "$work/lease"
else
    echo "test: the lease in C++ is not tested, because there is no OpenSSL 3 with its headers"
fi

# The example of fifty lines, in a root that has only the library and what ldd lists.
cc -std=c99 "${warnings[@]}" Examples/OtherLanguages/first.c -o "$work/first" "${library[@]}"
[[ -z "$is_release" ]] || part "test: without Swift" Scripts/run-without-swift.sh "$work/first" "$folder/lib/libstorekeeper.so.0"
