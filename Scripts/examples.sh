#!/usr/bin/env bash
# Builds, tests and runs the packages in Examples/ against the sources here.
#
# They use the build of the repository (--scratch-path .build), so that dependencies are compiled once.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source Scripts/parts.sh

# Each root package is planned again, because the plan in the build may be that of another package.
readonly anew=(--scratch-path .build --disable-build-manifest-caching)
readonly headless_check=(--package-path Examples/HeadlessCheck "${anew[@]}")
readonly own_parts=(--package-path Examples/OwnParts "${anew[@]}")
readonly companion=(--package-path Examples/CompanionService "${anew[@]}")
readonly game_server=(--package-path Examples/GameServer "${anew[@]}")
readonly articles=(--package-path .build/articles "${anew[@]}")

# Uses the versions of the package, so that no others are fetched and compiled.
if [[ -f Package.resolved ]]; then
    cp Package.resolved Examples/HeadlessCheck/
    cp Package.resolved Examples/OwnParts/
    cp Package.resolved Examples/CompanionService/
    cp Package.resolved Examples/GameServer/
    mkdir -p .build/articles
    cp Package.resolved .build/articles/
fi

echo "Examples/HeadlessCheck: a check that links only the engine and the signature verifier"
part "examples: build HeadlessCheck" swift build "${headless_check[@]}" --product HeadlessCheck
files=(Configuration/evidence/upgrade-mid-month.jsonl Configuration/evidence/root.pem Configuration/Store.storekit)
program="$(swift build "${headless_check[@]}" --show-bin-path)/HeadlessCheck"
for question in 2026-03-01T12:00:00Z=yes 2026-03-15T18:30:00Z=no; do
    answer="$("$program" "${files[@]}" "${question%=*}")"
    echo "may play at ${question%=*}: $answer"
    [[ "$answer" == "${question#*=}" ]]
done
# Each line of the list is an object file of the program, in the folder of its module.
linked="$program.product/Objects.LinkFileList"
for module in StorekeeperEngine StorekeeperJWS; do
    grep -q "/$module.build/" "$linked" || {
        echo "examples: $linked does not name $module" >&2
        exit 1
    }
done
for module in Storekeeper StorekeeperSQLite Yams ArgumentParser; do
    if grep -q "/$module.build/" "$linked"; then
        echo "examples: a check that links the engine and the signatures alone links $module too" >&2
        exit 1
    fi
done

echo "Examples/Articles: the code of the articles, with only public declarations"
Scripts/article-code.py .build/articles
part "examples: build Articles" swift build "${articles[@]}" --target ArticlesTests

echo "Examples/OwnParts: two custom backends, with their conformance suite"
part "examples: build OwnParts" swift build "${own_parts[@]}" --build-tests
part "examples: test OwnParts" swift test "${own_parts[@]}" --skip-build

echo "Examples/CompanionService: the routes of the companion service in a custom backend"
part "examples: build CompanionService" swift build "${companion[@]}" --build-tests
part "examples: test CompanionService" swift test "${companion[@]}" --skip-build

echo "Examples/GameServer: a thousand players, sixty ticks a second"
part "examples: build GameServer" swift build "${game_server[@]}"
part "examples: run GameServer" swift run "${game_server[@]}" --skip-build GameServer 3

# Restores the repository's plan in the build, for later commands.
swift build --quiet --product storekeeper --disable-build-manifest-caching

echo "Examples/OtherLanguages: a game server in C++ over the library for other languages"
library="$PWD/.build/c-library-debug"
programs="$PWD/.build/c-examples"
part "examples: build the library for OtherLanguages" Scripts/c-library.sh --debug "$library"
if command -v cmake >/dev/null; then
    cmake -S Examples/OtherLanguages -B "$programs" -DCMAKE_PREFIX_PATH="$library" >/dev/null
    part "examples: build OtherLanguages" cmake --build "$programs"
else
    # Without CMake the same with pkg-config.
    mkdir -p "$programs"
    read -ra flags <<<"$(PKG_CONFIG_PATH="$library/lib/pkgconfig" pkg-config --cflags --libs storekeeper)"
    cc -std=c99 Examples/OtherLanguages/first.c -o "$programs/first" "${flags[@]}" -Wl,-rpath,"$library/lib"
    c++ -std=c++17 Examples/OtherLanguages/server.cpp -o "$programs/server" "${flags[@]}" -Wl,-rpath,"$library/lib" \
        -pthread
fi
part "examples: run OtherLanguages" "$programs/server" Configuration 3
