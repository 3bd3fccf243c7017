import Foundation
import HTTPTypes
import Storekeeper
import StorekeeperSimulator
import StorekeeperTesting
import Testing

@testable import StorekeeperLocalStore
@testable import StorekeeperPages

/// Attacks with texts that would end a quotation in a saved test, so that the test would run them as code.
///
/// Each attack creates the file `pwned` if it succeeds.
@Suite(.system) struct SavedTestSafetyTests {
    /// Texts with delimiters beside scalars that join them to one `Character`, and with other special characters.
    private static let texts = [
        "x'\u{301}; touch pwned; '", "x\u{600}'; touch pwned; : '", "x\u{600}\"; touch pwned; \"",
        "$(touch pwned)`touch pwned`\u{1FEF}touch pwned\u{1FEF}${HOME} !! ~ *", "'; touch pwned; '", "'\r\n'\r'",
        "\u{600}'''\nopen('pwned', 'w')\nr'''", "'''\u{301}\nopen('pwned', 'w')\nr'''",
        "\u{600}\"\"\" + open('pwned', 'w').name + \"\"\"", "\" + open('pwned', 'w').name + \"",
        "a\\", "\u{600}\\", "\\\u{301}", "a'", "\\'", "\\\"", "\\n\\u0041\\x41\\101\\N{BULLET}", "{x} %s %(x)s",
        "\"\"\"#\u{301}", "\u{600}\"\"\"#", "\"\"\"##", "\\#\u{301}(x)", "\\(x)", "\\#(x)", "\\##(x)", "///* */",
        "\t\u{1}\u{1B}[31m\u{7F}\u{85}\u{2028}\u{2029}\u{202E}\u{2066}\u{FEFF}\u{FFFE}\u{10FFFF}",
        "", "\n", "\n\n", " ", "é e\u{301} 👩‍👩‍👧 می‌خواهم", "END_OF_STORY\n", "\r\nEND_OF_STORY\r\ntouch pwned\n",
    ]

    @Test("A word of bash is the text that was quoted", arguments: texts)
    func bash(text: String) throws {
        let folder = try AttackedFolder()
        #expect(try folder.run("bash", "printf '%s' \(SourceText.shell(text))\n").output == Array(text.utf8))
    }

    @Test("A zero byte, which a word of bash cannot contain, is replaced")
    func zeroInBash() throws {
        let folder = try AttackedFolder()
        let output = try folder.run("bash", "printf '%s' \(SourceText.shell("a\0'; touch pwned; '"))\n").output
        #expect(output == Array("a\u{FFFD}'; touch pwned; '".utf8))
    }

    @Test("A here-document of bash is the text before its delimiter", arguments: texts)
    func hereDocument(text: String) throws {
        let folder = try AttackedFolder()
        let delimiter = SourceText.hereDelimiter("END_OF_STORY", after: text)
        let output = try folder.run("bash", "cat <<'\(delimiter)'\n\(text)\n\(delimiter)\n").output
        #expect(output == Array("\(text)\n".utf8))
    }

    @Test("A literal of Python is the text that was quoted", arguments: texts + ["a\0b"])
    func python(text: String) throws {
        for literal in [SourceText.python(text), SourceText.pythonLines(text)] {
            let folder = try AttackedFolder()
            let output = try folder.run("python3", "import sys\nsys.stdout.buffer.write(\(literal).encode())\n").output
            #expect(output == Array(text.utf8), "\(literal)")
        }
    }

    @Test("A literal of Swift ends at its last delimiter, and is the text that was quoted", arguments: texts + ["a\0b"])
    func swift(text: String) {
        #expect(SwiftLiteral(SourceText.swift(text))?.value.unicodeScalars.elementsEqual(text.unicodeScalars) == true)
        let lines = "\(text)\n"
        let literal = SourceText.swiftLines(lines, indent: "    ")
        #expect(SwiftLiteral(literal)?.value.unicodeScalars.elementsEqual(lines.unicodeScalars) == true, "\(literal)")
    }

    @Test("A message of a test is one line that can be printed on a terminal", arguments: texts)
    func message(text: String) {
        let message = SourceText.message(text)
        #expect(message.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.properties.generalCategory != .control })
        #expect(message.unicodeScalars.allSatisfy { $0.properties.generalCategory != .format })
    }

    @Test(
        "A saved test runs nothing that the names and catalogs of its story contain",
        arguments: [("curl", "bash", "WRONG"), ("python", "python3", "FAILED")])
    func saved(format: String, program: String, outcome: String) async throws {
        let name = "x'\u{301}; touch pwned; '\u{600}'; touch pwned; '$(touch pwned)"
        let scenario = try Scenario(
            reading: """
                story: A hostile story
                catalog: Shop.json
                catalog files:
                  Shop.json: |
                    {
                      "products": [
                        { "id": "coins.100", "type": "consumable", "grants": { "coins": 100 },
                          "displayName": "\u{600}''' + open('pwned', 'w').name + r'''" }
                      ]
                    }
                people: ["\(name)"]
                steps:
                  - buy: coins.100
                    by: "\(name)"

                """)
        var runner = try await ScenarioRunner(scenario)
        _ = try await runner.run()
        let local = await LocalAppStore(store: runner.store, scenario: scenario)
        let list = await local.respond(.get, "/local/v1/people/\(name.percentEncoded)/expectations")
        let expectations = try #require(list.document?["expectations"]?.array).compactMap(\.string)
        try #require(expectations.contains { $0.utf8.contains(name.utf8) }, "\(expectations)")
        let query = expectations.map { "&expect=\($0.percentEncoded)" }.joined()
        let saved = await local.respond(.get, "/local/v1/scenario?format=\(format)\(query)")
        try #require(saved.status == 200, "\(String(decoding: saved.body, as: UTF8.self))")
        let folder = try AttackedFolder()
        // The programs that the test starts give answers at once, so that all lines of the test run.
        try folder.add(program: "storekeeper", "echo '{\"url\":\"http://127.0.0.1:9\"}'\nexec sleep 60\n")
        try folder.add(program: "curl", "echo '[]'\n")
        let result = try folder.run(program, String(decoding: saved.body, as: UTF8.self))
        let output = String(decoding: result.output, as: UTF8.self)
        #expect(result.status == 1 && output.contains(outcome), "\(output)")
    }
}

/// A folder in which a program runs a script, and which is removed afterwards.
private final class AttackedFolder {
    private let url = FileManager.default.temporaryDirectory.appending(path: "storekeeper-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: url.appending(path: "bin"), withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// Adds a script for `sh` that is found before other programs.
    func add(program name: String, _ script: String) throws {
        let file = url.appending(path: "bin/\(name)")
        try Data("#!/bin/sh\n\(script)".utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: file.path)
    }

    /// Runs a script, and expects that it does not create the file `pwned`.
    func run(_ program: String, _ script: String) throws -> (status: Int32, output: [UInt8]) {
        let (file, output) = (url.appending(path: "script"), url.appending(path: "output"))
        try Data(script.utf8).write(to: file)
        try Data().write(to: output)
        let handle = try FileHandle(forWritingTo: output)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [program, "script"]
        process.currentDirectoryURL = url
        var environment = ProcessInfo.processInfo.environment
        environment["PATH"] = "\(url.path)/bin:\(environment["PATH"] ?? "/usr/bin:/bin")"
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = handle
        process.standardError = handle
        try process.run()
        process.waitUntilExit()
        try handle.close()
        #expect(!FileManager.default.fileExists(atPath: url.appending(path: "pwned").path), "\(script.suffix(400))")
        return (process.terminationStatus, Array(try Data(contentsOf: output)))
    }
}

/// A literal of Swift, read scalar by scalar as a compiler reads it.
private struct SwiftLiteral {
    let value: String

    /// Reads a literal; the result is `nil` if the literal ends before the end of the text, or is malformed.
    init?(_ text: String) {
        let value = text.utf8.first == UInt8(ascii: "#") ? Self.lines(text) : Self.line(text)
        guard let value else { return nil }
        self.value = value
    }

    private static func line(_ text: String) -> String? {
        let scalars = text.unicodeScalars
        guard scalars.count >= 2, scalars.first == "\"", scalars.last == "\"" else { return nil }
        var (value, rest) = (String.UnicodeScalarView(), scalars.dropFirst().dropLast())
        while let scalar = rest.popFirst() {
            guard scalar != "\"", scalar.value >= 0x20 else { return nil }
            guard scalar == "\\" else {
                value.append(scalar)
                continue
            }
            switch rest.popFirst() {
            case "\\"?: value.append("\\")
            case "\""?: value.append("\"")
            case "u"?:
                let digits = rest.dropFirst().prefix { $0 != "}" }
                guard rest.first == "{", let number = UInt32(String(digits), radix: 16),
                    let escaped = Unicode.Scalar(number)
                else { return nil }
                rest = rest.dropFirst(digits.count + 2)
                value.append(escaped)
            default: return nil
            }
        }
        return String(value)
    }

    private static func lines(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        let marks = [UInt8](bytes.prefix { $0 == UInt8(ascii: "#") })
        let quotes = Array("\"\"\"".utf8)
        let body = Array(bytes.dropFirst(marks.count))
        guard body.starts(with: quotes) else { return nil }
        let rest = Array(body.dropFirst(quotes.count))
        guard let end = rest.firstRange(of: quotes + marks), end.upperBound == rest.count,
            rest.firstRange(of: [UInt8(ascii: "\\")] + marks) == nil, !rest.contains(UInt8(ascii: "\r")),
            !rest.contains(0)
        else { return nil }
        let lines = rest[..<end.lowerBound].split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard let indent = lines.last, lines.first?.isEmpty == true, lines.count > 1,
            lines.allSatisfy({ $0.isEmpty || $0.starts(with: indent) })
        else { return nil }
        let content = lines.dropFirst().dropLast().map { Array($0.dropFirst(indent.count)) }
        return String(decoding: Array(content.joined(separator: [UInt8(ascii: "\n")])), as: UTF8.self)
    }
}
