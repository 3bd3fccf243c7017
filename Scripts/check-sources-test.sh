#!/usr/bin/env bash
# Tests that check-sources.py finds everything that it forbids, and accepts what only looks like it.
set -euo pipefail

readonly checker=check-sources.py
source "$(dirname "${BASH_SOURCE[0]}")/check-cases.sh"

source=Sources/StorekeeperEngine/Catalog/File.swift

expect_refused $source 1 <<<'import Foundation'
expect_refused $source 2 <<<$'import Synchronization\n@preconcurrency public import struct Foundation.Date'
expect_refused $source 1 <<<'@testable import StorekeeperJWS'
expect_refused $source 1 <<<'package import Storekeeper'
expect_refused Sources/Storekeeper/File.swift 1 <<<'import StorekeeperJWS'
expect_refused Sources/StorekeeperKit/File.swift 1 <<<'import StorekeeperSimulator'
expect_refused Sources/StorekeeperJWS/File.swift 1 <<<'import Foundation'
expect_refused $source 1 <<<'func f() -> Never { fatalError() }'
expect_refused $source 1 <<<'guard ok else { preconditionFailure ("no") }'
expect_refused $source 1 <<<'final class Box: @unchecked Sendable {}'
expect_refused $source 2 <<<$'/// A box.\nfinal class Box: @unchecked Sendable {}'
expect_refused $source 4 <<<$'// The lock guards it.\nlet a = 1\n\nfinal class Box: @unchecked Sendable {}'
expect_refused $source 1 <<<'nonisolated(unsafe) var count = 0'
expect_refused $source 2 <<<$'/// How many.\n@exclusivity(unchecked) var count = 0'
expect_refused $source 2 <<<$'let a = 1\n// TODO: finish'
expect_refused $source 1 <<<'/* FIXME */ let a = 1'
expect_refused $source 1 <<<'let file = "/tmp/catalog.json"'
expect_refused $source 1 <<<'/// Kept in `/home/someone/list`.'
expect_refused README.md 2 <<<$'# Title\nRun it in /home/me/clone.'
expect_refused docs/deep/page.md 1 <<<'See /root/notes.'
expect_refused Sources/Storekeeper/Documentation.docc/Page.md 1 <<<'Write to /tmp.'

expect_passed $source <<<$'public import FoundationEssentials\nimport Synchronization\nimport struct FoundationEssentials.Date'
expect_passed $source <<<$'// import Foundation\nenum Step { case `import`, export }\nlet step = Step.import'
expect_passed Sources/Storekeeper/File.swift <<<$'@_exported public import StorekeeperEngine\nimport Synchronization'
expect_passed Sources/StorekeeperCLI/File.swift <<<'import Foundation'
expect_passed $source <<<$'// try! traps, and so does fatalError().\nlet a = 1'
expect_passed $source <<<$'// Every access holds the lock.\nfinal class Box: @unchecked Sendable {}'
expect_passed $source <<<$'// Every access holds the lock.\n@frozen\npublic final class Box:\n    @unchecked Sendable\n{}'
expect_passed $source <<<$'// Written once, before the first task starts.\nnonisolated(unsafe) var count = 0'
expect_passed $source <<<$'// No access lasts longer than the call that makes it.\n@exclusivity(unchecked) var count = 0'
expect_passed $source <<<$'let name = "TODO"\nlet methodology = 1 // todos are kept'
expect_passed $source <<<$'/// See https://example.com/home/ and a/tmp/b, ../home/x or $ROOT/home/y.'
expect_passed Tests/StorekeeperTests/File.swift <<<'let file = "/tmp/nowhere"'
expect_passed README.md <<<'Write to `build/tmp/x`, see https://example.com/work/.'

report_cases
