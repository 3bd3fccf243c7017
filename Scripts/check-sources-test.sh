#!/usr/bin/env bash
# Shows that check-sources.py finds each thing the house forbids, and passes what only looks like it.
set -euo pipefail

readonly checker=check-sources.py
source "$(dirname "${BASH_SOURCE[0]}")/check-cases.sh"

source=Sources/StorekeeperEngine/Catalog/File.swift

expect_refused $source 1 <<<'let a = try! read()'
expect_refused $source 2 <<<$'\nlet a = b as! Int'
expect_refused $source 1 <<<'func f() -> Never { fatalError() }'
expect_refused $source 1 <<<'guard ok else { preconditionFailure ("no") }'
expect_refused $source 1 <<<'let text = "\(try! read())"'
expect_refused $source 3 <<<$'let text = """\n    fatalError()\n    \\(fatalError())\n    """'
expect_refused $source 1 <<<'final class Box: @unchecked Sendable {}'
expect_refused $source 2 <<<$'/// A box.\nfinal class Box: @unchecked Sendable {}'
expect_refused $source 4 <<<$'// The lock guards it.\nlet a = 1\n\nfinal class Box: @unchecked Sendable {}'
expect_refused $source 1 <<<'nonisolated(unsafe) var count = 0'
expect_refused $source 2 <<<$'/// How many.\n@exclusivity(unchecked) var count = 0'
expect_refused $source 2 <<<$'final class Counter {\n    @exclusivity( unchecked ) private var count = 0\n}'
expect_refused $source 2 <<<$'let a = 1\n// TODO: finish'
expect_refused $source 1 <<<'/* FIXME */ let a = 1'
expect_refused $source 1 <<<'let file = "/tmp/catalog.json"'
expect_refused $source 1 <<<'/// Kept in `/home/someone/list`.'
expect_refused README.md 2 <<<$'# Title\nRun it in /home/me/clone.'
expect_refused docs/deep/page.md 1 <<<'See /root/notes.'
expect_refused Sources/Storekeeper/Documentation.docc/Page.md 1 <<<'Write to /tmp.'
expect_refused $source 401 < <(for _ in {1..401}; do echo '// A line.'; done)

expect_passed $source < <(for _ in {1..400}; do echo '// A line.'; done)
expect_passed $source <<<$'// try! traps, and so do as! and fatalError().\nlet a = "try! x as! Y; fatalError()"'
expect_passed $source <<<$'let a = #"\\(try! b)"#'
expect_passed $source <<<$'let a = try !isOff ? read() : nil'
expect_passed $source <<<$'// Every access holds the lock.\nfinal class Box: @unchecked Sendable {}'
expect_passed $source <<<$'// Every access holds the lock.\n@frozen\npublic final class Box:\n    @unchecked Sendable\n{}'
expect_passed $source <<<$'// Written once, before the first task starts.\nnonisolated(unsafe) var count = 0'
expect_passed $source <<<$'// No access lasts longer than the call that makes it.\n@exclusivity(unchecked) var count = 0'
expect_passed $source <<<$'let name = "TODO"\nlet methodology = 1 // todos are kept'
expect_passed $source <<<$'/// See https://example.com/home/ and a/tmp/b, ../home/x or $ROOT/home/y.'
expect_passed Tests/StorekeeperTests/File.swift <<<'let file = "/tmp/nowhere"'
expect_passed README.md <<<'Write to `build/tmp/x`, see https://example.com/work/.'

report_cases
