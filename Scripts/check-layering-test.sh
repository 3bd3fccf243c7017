#!/usr/bin/env bash
# Shows that check-layering.py finds a wrong import in every spelling, and passes right ones.
set -euo pipefail

readonly checker=check-layering.py
source "$(dirname "${BASH_SOURCE[0]}")/check-cases.sh"

core=Sources/StorekeeperEngine/Catalog/File.swift

expect_refused $core 1 <<<'import Foundation'
expect_refused $core 1 <<<'public import Foundation'
expect_refused $core 1 <<<'internal import Glibc'
expect_refused $core 1 <<<'import struct Foundation.Date'
expect_refused $core 1 <<<'public import class Foundation.JSONDecoder'
expect_refused $core 1 <<<'import FoundationNetworking'
expect_refused $core 1 <<<'import Crypto'
expect_refused $core 1 <<<'import Storekeeper'
expect_refused $core 1 <<<'import StorekeeperJWS'
expect_refused $core 1 <<<'@testable import StorekeeperJWS'
expect_refused $core 1 <<<'@_exported public import Foundation'
expect_refused $core 1 <<<'@_spi(Inner) @preconcurrency import Crypto'
expect_refused $core 1 <<<'import FoundationEssentials; import Foundation'
expect_refused $core 1 <<<'import Foundation // for dates'
expect_refused $core 1 <<<'import/* of what */Foundation'
expect_refused $core 1 <<<'import `Foundation`'
expect_refused $core 2 <<<$'import\n    Foundation'
expect_refused $core 3 <<<$'@preconcurrency\n@testable import\nFoundation'
expect_refused $core 1 <<<$'#if canImport(Foundation)\nimport FoundationEssentials\n#endif'
expect_refused $core 4 <<<$'#if canImport(FoundationEssentials)\nimport FoundationEssentials\n#else\nimport Foundation\n#endif'
expect_refused $core 4 <<<$'/* import FoundationEssentials\n /* nested */\n*/\nimport Foundation'
expect_refused $core 3 <<<$'let text = """\nimport StorekeeperEngine\n"""; import Foundation'
expect_refused Sources/StorekeeperJWS/File.swift 1 <<<'import Foundation'
expect_refused Sources/StorekeeperJWS/File.swift 1 <<<'import NIOCore'
expect_refused Sources/StorekeeperSQLite/File.swift 1 <<<'import StorekeeperJWS'
expect_refused Sources/StorekeeperSimulator/File.swift 1 <<<'import StorekeeperSQLite'
expect_refused Sources/Storekeeper/File.swift 1 <<<'import StorekeeperJWS'
expect_refused Sources/StorekeeperJWS/File.swift 1 <<<'import Storekeeper'
expect_refused Sources/StorekeeperTesting/File.swift 1 <<<'import StorekeeperJWS'
expect_refused Sources/StorekeeperCLI/File.swift 1 <<<'import GRDB'
expect_refused Tests/StorekeeperTests/File.swift 1 <<<'import StorekeeperJWS'
expect_refused Sources/Elsewhere/File.swift 1 <<<'import Storekeeper'

expect_passed $core <<<$'public import FoundationEssentials\nimport Synchronization'
expect_passed $core <<<$'import struct FoundationEssentials.Date\nimport FoundationEssentials'
expect_passed $core <<<$'// import Foundation\n/* import Foundation\n/* import Crypto */ import Glibc */\n/// import Foundation'
expect_passed $core <<<$'let a = "import Foundation"\nlet b = #"\\" import Foundation"#\nlet c = """\n    import Foundation\n    """'
expect_passed $core <<<$'let quote = /"/\nlet word = "import Foundation"'
expect_passed $core <<<$'enum Step { case `import`, export }\nlet step = Step.import\nlet important = 1'
expect_passed $core <<<$'func read(import name: String) {}\nlet half = 4 / 2 // " \nlet s = "import Crypto"'
expect_passed Sources/StorekeeperJWS/File.swift <<<$'public import StorekeeperEngine\nimport Crypto\nimport SwiftASN1\nimport X509'
expect_passed Sources/StorekeeperSQLite/File.swift <<<$'import Crypto\nimport GRDB\nimport Storekeeper'
expect_passed Sources/StorekeeperSimulator/File.swift <<<$'import Storekeeper\nimport StorekeeperJWS\nimport Yams'
expect_passed Sources/Storekeeper/File.swift <<<$'@_exported public import StorekeeperEngine\nimport Synchronization'
expect_passed Sources/StorekeeperTesting/File.swift <<<$'public import Storekeeper\nimport Testing'
expect_passed Sources/StorekeeperCLI/File.swift <<<$'import ArgumentParser\nimport Foundation\n#if canImport(Musl)\nimport Musl\n#endif'
expect_passed Tests/StorekeeperJWSTests/File.swift <<<$'import Foundation\nimport Testing\n@testable import StorekeeperJWS'

report_cases
