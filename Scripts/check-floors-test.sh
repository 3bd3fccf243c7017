#!/usr/bin/env bash
# Tests that check-floors.py finds circles of folders for each way to name a type, and accepts what only looks like one.
set -euo pipefail

readonly checker=check-floors.py
source "$(dirname "${BASH_SOURCE[0]}")/check-cases.sh"

# fresh: empties the tree.
fresh() {
    rm -rf "${tree:?}"/*
}

# put FILE: writes standard input to a file of Sources.
put() {
    mkdir -p "$tree/Sources/$(dirname "$1")"
    cat >"$tree/Sources/$1"
}

# refused FILE LINE WORDS: expects a finding at that line that contains the words.
refused() {
    local found
    if found="$("$here/$checker" "$tree" 2>&1)"; then
        echo "check-floors-test: no circle found: $3" >&2
        failures=$((failures + 1))
    elif [[ "$found" != *"Sources/$1:$2: error: "*"$3"* ]]; then
        echo "check-floors-test: expected a finding at $1:$2 with '$3', got: $found" >&2
        failures=$((failures + 1))
    fi
}

# passed WHAT: expects no finding.
passed() {
    if ! "$here/$checker" "$tree"; then
        echo "check-floors-test: unexpected finding above: $1" >&2
        failures=$((failures + 1))
    fi
}

# A type of the folder above, which uses two of the folder below.
above() {
    put Shop/Above/Above.swift <<<$'struct Above {\n    let below: Below\n    let other: Other\n    enum Kind { case one }\n}'
    put Shop/Below/Other.swift <<<$'struct Other {}'
}

# below CODE: sets the code of the folder below.
below() {
    fresh
    above
    put Shop/Below/Below.swift <<<"$1"
}

below 'struct Below {}'
passed 'one folder uses the other'
below $'struct Below {\n    let above: Above?\n}'
refused Shop/Below/Below.swift 2 'Below uses Above of Above, which uses Below: a circle'
below $'struct Below {}\n\nextension Above {}'
refused Shop/Below/Below.swift 3 'Below uses Above of Above'
below $'struct Below {}\nfunc count(_ all: [any Above]) {}'
refused Shop/Below/Below.swift 2 'Below uses Above of Above'
below $'struct Below { let kind: Above.Kind }'
refused Shop/Below/Below.swift 1 'Below uses Above.Kind of Above'
below $'struct Below { let kind: Shop.Above }'
refused Shop/Below/Below.swift 1 'Below uses Above of Above'
below $'struct Below { let text = "\\(Above.self)" }'
refused Shop/Below/Below.swift 1 'Below uses Above of Above'

below $'/// ``Above`` uses it.\nstruct Below {} // Above\nlet name = "Above"\nlet word = value.Above'
passed 'comments, texts and members are not types'
below $'struct Below { struct Above {}\n let above: Above }'
passed 'an inner type with the same name'
below $'private struct Above {}\nstruct Below { }'
passed 'a private type with the same name'
below $'struct Below<Above> { let above: Above }'
passed 'a generic parameter'
below $'protocol Below { associatedtype Above\n var above: Above { get } }'
passed 'an associated type'
below $'struct Below {}\nextension Other { var kind: Kind { .two } }'
put Shop/Below/Other.swift <<<'struct Other { enum Kind { case two } }'
put Shop/Above/Kind.swift <<<'enum Kind { case three }'
passed 'an inner type of the extended type'

# An inner type that an extension declares belongs to the folder of the extension.
fresh
put Shop/Below/Below.swift <<<$'struct Below {}\nstruct More {}'
put Shop/Above/Above.swift <<<$'extension Below {\n    struct Detail { let more: More }\n}'
passed 'an extension above'
put Shop/Below/User.swift <<<$'struct User {\n    let detail: Below.Detail\n}'
refused Shop/Below/User.swift 2 'Below uses Below.Detail of Above'
put Shop/Below/User.swift <<<$'extension Below {\n    var detail: Detail { Detail() }\n}'
refused Shop/Below/User.swift 2 'Below uses Below.Detail of Above'

# Long circles, folders inside folders, and files next to folders.
fresh
put Shop/One/One.swift <<<'struct One { let a: Two; let b: TwoMore }'
put Shop/Two/Two.swift <<<$'struct Two { let a: Three; let b: ThreeMore }\nstruct TwoMore {}'
put Shop/Three/Three.swift <<<$'struct Three {\n let one: One }\nstruct ThreeMore {}'
refused Shop/Three/Three.swift 2 'Three uses One of One, which uses Two, which uses Three: a circle'
fresh
put Shop/Vault/Vault.swift <<<$'protocol Vault {}\nprotocol Tables {}'
put Shop/Vault/Memory/Memory.swift <<<'struct Memory: Vault, Tables {}'
passed 'the inner folder uses the outer one'
put Shop/Vault/Usual.swift <<<'let usual = Memory()'
refused Shop/Vault/Usual.swift 1 'Vault uses Memory of Vault/Memory, which uses Vault'
fresh
put Shop/Shop.swift <<<'struct Shop { let part: Part; let other: Other }'
put Shop/Parts/Other.swift <<<'struct Other {}'
put Shop/Parts/Part.swift <<<'struct Part {}'
passed 'a file next to the folders may use them'
put Shop/Parts/Part.swift <<<$'struct Part {\n let shop: Shop? }'
refused Shop/Parts/Part.swift 2 'Parts uses Shop of Shop'

# Types with the same name in two targets are unrelated.
fresh
put Shop/Above/Above.swift <<<'struct Above { let below: Below }'
put Shop/Below/Below.swift <<<'struct Below {}'
put Store/Below/Below.swift <<<'struct Below { let above: Above }'
passed 'another target'

report_cases
