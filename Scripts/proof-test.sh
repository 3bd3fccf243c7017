#!/usr/bin/env bash
# Shows that proof.py and mutate.py run what is left, in the right order, and report failures. The compiler, the tests
# and the rules are stubs.
set -euo pipefail

readonly checker=proof.py
source "$(dirname "${BASH_SOURCE[0]}")/check-cases.sh"

mkdir -p "$tree"/{bin,Scripts/mutations,Sources/StorekeeperEngine,Tests/EngineTests,Documentation}
cp "$here"/{proof,mutate,run-tests}.py "$tree/Scripts/"
cp "$here/mutations/__init__.py" "$tree/Scripts/mutations/"
for stub in install-prerequisites package-test; do printf '#!/bin/sh\n' >"$tree/Scripts/$stub.sh"; done
printf '#!/bin/sh\n! test -e no-server\n' >"$tree/Scripts/postgres-server.sh"
# Records each call. Tests fail, or do not notice the broken rules, if a line of `failing` is part of the call; they
# take long if a line of `slow` is. If there is a file `empty`, no test runs; if there is a file `edited`, the sources
# change.
cat >"$tree/bin/swift" <<END
#!/usr/bin/env bash
broken="\${STOREKEEPER_BROKEN_RULES:-}"
call="\$* kills=\${STOREKEEPER_KILLS:-} seed=\${STOREKEEPER_SEED:-} broken=<\$broken>"
echo "\$call" >>"$tree/calls"
if [[ "\$2" == list ]]; then printf '%s\n' OneTests/a TwoTests/a ThreeTests/a FourTests/a; exit; fi
if [[ -s "$tree/slow" ]] && grep -qFf "$tree/slow" <<<"\$call"; then echo \$\$ >"$tree/sleeper"; exec sleep 60; fi
if [[ -e "$tree/edited" ]]; then echo '// Edited.' >>"$tree/Package.swift"; fi
is_failing=; if [[ -s "$tree/failing" ]] && grep -qFf "$tree/failing" <<<"\$call"; then is_failing=1; fi
if [[ -n "\$broken" ]]; then
    if [[ \$is_failing ]]; then exit; fi
    echo '✘ Test a() recorded an issue at F.swift:1:1: wrong'
    exit 1
fi
if [[ \$is_failing ]]; then echo "✘ Test kills() recorded an issue at F.swift:1:1: lost"; exit 1; fi
count=3; if [[ -e "$tree/empty" ]]; then count=0; fi
if [[ "\$1" == test ]]; then echo "✔ Test run with \$count tests in 1 suite passed"; fi
END
chmod +x "$tree"/bin/swift "$tree"/Scripts/*.sh
echo '// A package.' >"$tree/Package.swift"

# rules NAME…: defines rules of these names, each with a file and a test of its own.
rules() {
    { echo 'from . import Rule'; echo 'RULES = ['; } >"$tree/Scripts/mutations/area.py"
    for name in "$@"; do
        echo "let $name = 1" >"$tree/Sources/StorekeeperEngine/$name.swift"
        printf 'struct %sTests {\n    func a() {}\n}\n' "$name" >"$tree/Tests/EngineTests/$name.swift"
        printf 'Rule("rule %s", "Sources/StorekeeperEngine/%s.swift", "%sTests", expression="1", instead="2"),\n' \
            "$name" "$name" "$name" >>"$tree/Scripts/mutations/area.py"
    done
    echo ']' >>"$tree/Scripts/mutations/area.py"
}

# expect STATUS COMMAND…: runs a command in the tree, and keeps its output in `said` and its calls in `calls`.
expect() {
    local wanted="$1" status=0
    shift
    rm -f "$tree/calls"
    said="$(cd "$tree" && PATH="$tree/bin:$PATH" STOREKEEPER_KILLS='' STOREKEEPER_SEED='' "$@" 2>&1)" || status=$?
    calls="$(cat "$tree/calls" 2>/dev/null || true)"
    if ((status != wanted)); then fault "status $status instead of $wanted: $*"; fi
}

fault() {
    printf 'proof-test: %s\n%s\n' "$1" "$said" >&2
    failures=$((failures + 1))
}

# has TEXT WORDS: a text contains these words.
has() { [[ "$1" == *"$2"* ]] || fault "expected '$2' in '$1'"; }
lacks() { [[ "$1" != *"$2"* ]] || fault "unexpected '$2' in '$1'"; }
# runs COUNT WORDS: so many calls contain these words.
runs() { [[ "$(grep -c -- "$2" <<<"$calls")" == "$1" ]] || fault "expected $1 calls with '$2', got: $calls"; }
proof() { cat "$tree/Documentation/Proof.md"; }

rules One Two Three

# A part in portions, each with its own seed; one build for all.
expect 0 Scripts/proof.py soak kills:250
runs 1 'build --build-tests --configuration release -Xswiftc -enable-testing --scratch-path .build/long kills='
runs 3 'test --skip-build --configuration release .* --scratch-path .build/long --filter CrashTests'
runs 2 'kills=100 '
runs 1 'kills=50 '
[[ "$(grep -oE 'seed=[0-9]+' <<<"$calls" | sort -u | wc -l)" == 3 ]] || fault "expected three seeds: $calls"
has "$said" 'kills 3 of 3: 50 kills, seed '
has "$said" 'nothing is left'
has "$(proof)" '| 250 kills |'
lacks "$(proof)" fleet

# What has passed is not run again; a greater amount runs the rest.
expect 0 Scripts/proof.py soak kills:250
[[ -z "$calls" ]] || fault "ran again: $calls"
expect 0 Scripts/proof.py soak kills:400
runs 2 'kills=100 '
has "$(proof)" '| 400 kills |'

# The first unit of each part comes before the second of any.
expect 0 Scripts/proof.py long laws-engine:10000,laws-policy:5000
[[ "$(grep -oE '^ok.*laws-[a-z]+ [12] of 2' <<<"$said" | grep -oE '(engine|policy) [12]' | tr '\n' ' ')" \
    == 'engine 1 policy 1 engine 2 policy 2 ' ]] || fault "expected turns"

# Too little time for a part that was never measured; the part that was measured runs.
echo '// Changed.' >>"$tree/Package.swift"
expect 0 Scripts/proof.py soak --minutes 1 kills:100,fleet-model
has "$said" 'the sources have changed since the last run: every unit starts again'
runs 1 'CrashTests'
runs 0 'FleetModelTests'
has "$said" '10 of 11 units are left'
has "$said" "make soak PART='kills:100 fleet-model' MINUTES=1"
expect 0 Scripts/proof.py soak --minutes 0 kills:400
has "$said" '3 of 4 units are left'
has "$(proof)" '| 100 kills |'
# Units that have not run in these sources: those that ran in others, the oldest first.
expect 0 Scripts/proof.py soak kills:500
[[ "$(grep -o 'CrashTests.*seed' <<<"$calls" | wc -l)" == 4 ]] || fault "expected four units: $calls"
has "$(grep -m 1 '^ok.*kills' <<<"$said")" 'kills 5 of 5'

# A failure is told, with the command that repeats it; the other units run, and the next run begins with it.
echo '// Changed again.' >>"$tree/Package.swift"
echo kills=60 >"$tree/failing"
expect 1 Scripts/proof.py soak kills:260
has "$said" 'FAILED'
has "$said" '✘ Test kills() recorded an issue'
runs 2 'kills=100 '
has "$said" '1 of 3 units are left'
has "$(proof)" '**failed** (`STOREKEEPER_KILLS=60 STOREKEEPER_SEED='
has "$(proof)" '200 of 260 kills'
: >"$tree/failing"
expect 0 Scripts/proof.py soak kills:260
runs 1 'CrashTests'
has "$(proof)" '| 260 kills |'

# What ran while the sources changed does not count.
touch "$tree/edited"
expect 0 Scripts/proof.py soak kills:400
runs 1 'CrashTests'
has "$said" '2 of 4 units are left'
rm "$tree/edited"

# No test has run, the build fails, no server, a wrong call.
touch "$tree/empty"
expect 1 Scripts/proof.py long laws-vault:1
rm "$tree/empty"
echo '// Changed a third time.' >>"$tree/Package.swift"
echo build >"$tree/failing"
expect 1 Scripts/proof.py soak kills
runs 0 CrashTests
: >"$tree/failing"
touch "$tree/no-server"
expect 0 Scripts/proof.py soak fleet-model,package
has "$said" 'fleet-model is left out: no PostgreSQL server is installed'
has "$(proof)" '| package | The packaged service'
lacks "$(proof)" '| fleet-model'
expect 2 Scripts/proof.py soak nothing
expect 2 Scripts/proof.py soak package:3

# Each rule is broken once, and recorded; the page tells how many.
expect 0 Scripts/proof.py soak mutations-each
runs 1 'broken=<0>'
runs 1 'broken=<2>'
has "$(proof)" '| 3 broken rules |'
[[ "$(grep -c ^noticed "$tree/Documentation/Mutations.tsv")" == 3 ]] || fault "expected three rules in the record"
expect 0 Scripts/mutate.py
has "$said" 'nothing is left'
runs 0 'broken=<[0-9]'

# First what has changed, then what was never broken, then the oldest; a comment changes nothing.
rules One Two Three Four
echo '// A comment.' >>"$tree/Sources/StorekeeperEngine/One.swift"
echo 'let other = 3' >>"$tree/Tests/EngineTests/Three.swift"
for number in 2 3 0; do
    expect 0 Scripts/mutate.py --most 1
    runs 1 "broken=<$number>"
done
has "$said" '1 of 4 rules are left'
expect 0 Scripts/mutate.py --minutes 0
runs 0 'broken=<[0-9]'

# A rule that no test notices comes first the next time.
echo 'broken=<1>' >"$tree/failing"
expect 1 Scripts/mutate.py
has "$said" 'UNNOTICED'
: >"$tree/failing"
echo '// Changed a fourth time.' >>"$tree/Package.swift"
expect 0 Scripts/mutate.py --most 1
runs 1 'broken=<1>'
expect 0 Scripts/mutate.py --only 'rule Two'
runs 1 'broken=<1>'

# What is interrupted ends, with all that it has started, and is left.
echo '// Changed a fifth time.' >>"$tree/Package.swift"
printf '%s\n' CrashTests 'broken=<2>' >"$tree/slow"
for part in kills:100 mutations-each; do
    rm -f "$tree/sleeper"
    (cd "$tree" && PATH="$tree/bin:$PATH" exec Scripts/proof.py soak $part) >"$tree/said" 2>&1 &
    for _ in $(seq 300); do
        [[ -s "$tree/sleeper" ]] && break
        sleep 0.1
    done
    status=0
    kill -TERM $!
    wait $! || status=$?
    said="$(cat "$tree/said")"
    ((status == 130)) || fault "status $status instead of 130"
    has "$said" '1 of 1 units are left'
    for _ in $(seq 50); do
        kill -0 "$(cat "$tree/sleeper")" 2>/dev/null || continue 2
        sleep 0.1
    done
    fault "a test still runs"
done

report_cases
