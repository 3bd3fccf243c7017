import Foundation
import Storekeeper
import Testing

@testable import StorekeeperCLI

/// Tests with large or malicious evidence and catalogs, which are processed in memory.
struct HostileEvidenceTests {
    private func run(
        _ arguments: [String], in folder: Folder
    ) async -> (status: StorekeeperCLI.ExitStatus, output: String) {
        var written: [UInt8] = []
        let console = Console(
            output: TextOutput { written += $0 }, errors: TextOutput { _ in }, environment: [:],
            now: Instant(clamped: Int64(Evidence.signedAt)))
        let paths = arguments.map { $0.hasPrefix("/") ? folder.url.path + $0 : $0 }
        let status = await CommandLineTool(console: console).run(paths)
        return (status, String(decoding: written, as: UTF8.self))
    }

    @Test("No escape sequence of an id reaches the terminal", arguments: ["timeline", "entitlements"])
    func escapeSequences(command: String) async throws {
        let folder = try Folder()
        let payload = Evidence.transactionPayload(product: #"gold\u001b[31m\u009b2J\n\u202e"#)
        try folder.write(payload, to: "evidence")
        let (status, output) = await run([command, "/evidence", "--unsigned"], in: folder)
        #expect(status == .success)
        #expect(output.contains("gold"))
        #expect(!output.unicodeScalars.contains { ["\u{1B}", "\u{9B}", "\u{202E}"].contains($0) })
    }

    @Test("No escape sequence of an environment's name reaches the output") func environmentName() async throws {
        let folder = try Folder()
        let name = #"Sand\u001b[8mbox\u001b]0;owned\u0007\u009b2J\u202e"#
        try folder.write(
            Evidence.transactionPayload() + "\n" + Evidence.transactionPayload("2001", environment: name),
            to: "evidence")
        for command in [["entitlements"], ["explain", "gold.monthly"], ["check", "gold.monthly"], ["timeline"]] {
            for more in [[], ["--environment", "Sand\u{1B}[8mbox\u{1B}]0;owned\u{07}\u{9B}2J\u{202E}"]] {
                let (_, output) = await run(command + ["/evidence", "--unsigned"] + more, in: folder)
                #expect(
                    !output.unicodeScalars.contains { ["\u{1B}", "\u{07}", "\u{9B}", "\u{202E}"].contains($0) },
                    "\(command): \(output.debugDescription)")
            }
        }
    }

    @Test("A timeline may begin at the last instant")
    func lastInstant() async throws {
        let folder = try Folder()
        try folder.write(Evidence.transactionPayload(), to: "evidence")
        for format in ["text", "svg", "json"] {
            let arguments = ["timeline", "/evidence", "--unsigned", "--from", "8640000000000000", "--format", format]
            #expect(await run(arguments, in: folder).status == .success)
        }
    }

    @Test("The time grows linearly with products that were never bought")
    func manyProducts() async throws {
        func time(_ count: Int) async throws -> Duration {
            let folder = try Folder()
            let ids = (0..<count).map { "\"com.example.p\($0)\"" }.joined(separator: ",")
            try folder.write("[\(ids)]", to: "catalog")
            try folder.write(Evidence.transactionPayload(), to: "evidence")
            return try await ContinuousClock().measure {
                let (status, output) = await run(
                    ["entitlements", "/evidence", "--unsigned", "--catalog", "/catalog"], in: folder)
                try #require(status == .success && output.contains("com.example.p\(count - 1)"))
            }
        }
        let small = try await time(500)
        // The catalog has eight times as many products. With a quadratic algorithm, the command would take sixty-four
        // times as long.
        #expect(try await time(4000) < small * 24 + .seconds(1))
    }

    @Test("The time grows linearly with invalid items")
    func manyFailures() async throws {
        func time(_ count: Int) async throws -> Duration {
            let folder = try Folder()
            let good = (0..<count / 20).map { Evidence.transactionPayload("\($0)", product: "p\($0)") }
            try folder.write((good + [String](repeating: "x", count: count)).joined(separator: "\n"), to: "evidence")
            return try await ContinuousClock().measure {
                try #require(await run(["check", "p7", "/evidence", "--unsigned"], in: folder).status == .success)
            }
        }
        let small = try await time(2000)
        #expect(try await time(16_000) < small * 16 + .seconds(1))
    }

    @Test("A document larger than a batch is not mistaken for the end of the evidence")
    func documentLargerThanABatch() async throws {
        let folder = try Folder()
        let blanks = String(repeating: " ", count: 17 << 20)
        try folder.write("[\(blanks)\(Evidence.transactionPayload())]", to: "document")
        try folder.write("\(blanks)\n\(Evidence.transactionPayload())", to: "line")
        for name in ["/document", "/line"] {
            let (status, output) = await run(["check", "gold.monthly", name, "--unsigned"], in: folder)
            #expect(status == .success)
            #expect(output == "entitled (owned)\n")
        }
    }

    @Test("A document of many items is delivered in batches")
    func largeDocument() async throws {
        let folder = try Folder()
        let count = 10_000
        try folder.write("[\([String](repeating: "1", count: count).joined(separator: ","))]\nx", to: "evidence")
        let reader = try EvidenceReader([folder.url.path + "/evidence"])
        var sizes: [Int] = []
        while true {
            let batch = try reader.next()
            if batch.items.isEmpty { break }
            #expect(batch.start == sizes.reduce(0, +))
            sizes.append(batch.items.count)
        }
        #expect(sizes.reduce(0, +) == count + 1)
        #expect((sizes.max() ?? 0) <= 4096)
    }

    @Test("The result of an item does not wait for the next one of a slow pipe", .timeLimit(.minutes(20)))
    func slowPipe() async throws {
        let pipe = Pipe()
        let writer = pipe.fileHandleForWriting
        var unwritten = ["b\n", "c\nd\n", "e\n"][...]
        try writer.write(contentsOf: Array("a\n".utf8))
        let reader = try EvidenceReader(["/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)"])
        let console = Console(
            output: TextOutput { _ in }, errors: TextOutput { _ in }, environment: [:], now: Instant(clamped: 0))
        var items: [String] = []
        try await reader.forEachBatch(ProgressBar("Reading", of: nil, unit: "bytes", on: console)) { batch in
            batch.items.map { sourced in
                if case .jws(let text, let line) = sourced.item {
                    "\(line) \(String(decoding: text, as: UTF8.self))"
                } else {
                    "?"
                }
            }
        } _: { told in
            items += told
            // The writer waits for the result of an item before it writes the next.
            if let next = unwritten.popFirst() {
                try? writer.write(contentsOf: Array(next.utf8))
            } else {
                try? writer.close()
            }
        }
        #expect(items == ["1 a", "2 b", "3 c", "4 d", "5 e"])
    }

    @Test("Batches are delivered in the order of the files, independent of their duration")
    func order() async throws {
        let folder = try Folder()
        let count = 20_000
        try folder.write((0..<count).map { "a.b.\($0)" }.joined(separator: "\n"), to: "evidence")
        let reader = try EvidenceReader([folder.url.path + "/evidence"])
        let console = Console(
            output: TextOutput { _ in }, errors: TextOutput { _ in }, environment: [:], now: Instant(clamped: 0))
        var starts: [Int] = []
        var items = 0
        try await reader.forEachBatch(ProgressBar("Reading", of: nil, unit: "bytes", on: console)) { batch in
            var random = SystemRandomNumberGenerator()
            var sum: UInt64 = 0
            for _ in 0..<random.next(upperBound: UInt64(20_000)) { sum &+= random.next() }
            return (batch.start, batch.items.count, sum)
        } _: { outcome in
            #expect(outcome.0 == items)
            items += outcome.1
            starts.append(outcome.0)
        }
        #expect(items == count && starts.count > 10)
    }
}
