import CLibsqlite3
import Foundation
import StorekeeperTesting
import Testing

/// Tests that `vault copy` can be killed and repeated, continues where it ended, and duplicates nothing.
@Suite(.proof, .serialized, .timeLimit(.minutes(20))) struct VaultCopyKillTests {
    private let workspace: VaultWorkspace

    /// The number of customers; the process is killed after some of them are copied.
    private static let count = 600

    /// Makes a vault with many customers who have grants, which need no signature, and with one customer who has a
    /// purchase.
    init() throws {
        workspace = try VaultWorkspace(Customer.upgrades, [Customer.upgraderInfo])
        var lines: [String] = []
        for number in 0..<Self.count {
            let name = "customer-\(10_000 + number)"
            lines.append(#"{"customer":"\#(name)","kind":"customer"}"#)
            for entry in 1...3 {
                lines.append(
                    """
                    {"after":\(entry * 5),"at":"2026-01-0\(entry)T00:00:00.000Z","balance":"coins","change":5,\
                    "customer":"\(name)","entry":"grant","key":"key \(entry)","kind":"entry","number":\(entry),"reason":"gift"}
                    """)
            }
        }
        let head = #"{"format":"storekeeper-vault","version":1}"#
        let text = [head] + lines + [#"{"kind":"end","lines":\#(lines.count)}"#]
        try workspace.folder.write(text.joined(separator: "\n") + "\n", to: "many.jsonl")
        try workspace.take(for: "anna")
        try workspace.done("vault", "import", "many.jsonl")
    }

    /// Starts a copy, and kills it when the target contains some of the customers.
    ///
    /// - Parameter copied: The number of customers in the target; `nil` if it cannot be read yet.
    /// - Returns: The number of copied customers.
    private func killedCopy(from source: String, to target: String, copied: () throws -> Int64?) throws -> Int64 {
        let executable = try #require(Program.executable, "the program was not built with the tests")
        let process = Process()
        process.executableURL = executable
        process.arguments = ["vault", "copy", source, target]
        process.currentDirectoryURL = workspace.folder.url
        process.environment = ["PATH": "/usr/bin:/bin"]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        let known = try copied() ?? 0
        try process.run()
        while process.isRunning {
            if let count = try copied(), count > known + 30 { break }
            usleep(2_000)
        }
        kill(process.processIdentifier, SIGKILL)
        process.waitForEnd()
        #expect(process.terminationReason == .uncaughtSignal)
        return try copied() ?? 0
    }

    private func expectWhole(_ copy: String) throws {
        let result = try workspace.done("vault", "copy", "game.sqlite", copy, "--format", "json")
        #expect(try result.object()["customers"] as? Int == Self.count + 1)
        #expect(try result.object()["entries"] as? Int == Self.count * 3 + 3)
        try expectText(
            workspace.done("vault", "export", "--vault", copy).output, equals: workspace.done("vault", "export").output)
        try workspace.done("vault", "verify", "--vault", copy)
    }

    /// Returns the number in the first row of a query on a file; `nil` if the file does not exist yet.
    private func number(_ question: String, in file: String) -> Int64? {
        var (connection, statement): (OpaquePointer?, OpaquePointer?)
        let path = workspace.folder.url.appendingPathComponent(file).path
        defer { sqlite3_close_v2(connection) }
        guard sqlite3_open_v2(path, &connection, SQLITE_OPEN_READONLY, nil) == SQLITE_OK,
            sqlite3_prepare_v2(connection, question, -1, &statement, nil) == SQLITE_OK
        else { return nil }
        defer { sqlite3_finalize(statement) }
        return sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : nil
    }

    @Test("A killed copy into a file continues")
    func file() throws {
        for _ in 0..<2 {
            let copied = try killedCopy(from: "game.sqlite", to: "copy.sqlite") {
                number("SELECT count(*) FROM customer", in: "copy.sqlite")
            }
            #expect(copied > 0 && copied <= Self.count)
        }
        try expectWhole("copy.sqlite")
    }

    @Test(
        "A killed copy into a database, and from there into a file, continues",
        .enabled(if: ServerDatabase.server != nil, "STOREKEEPER_POSTGRES is not set"))
    func database() throws {
        let database = try ServerDatabase()
        try workspace.done("vault", "init", "--vault", database.address)
        for _ in 0..<2 {
            let copied = try killedCopy(from: "game.sqlite", to: database.address) {
                try database.numbers("SELECT count(*) FROM storekeeper.customer").first
            }
            #expect(copied > 0 && copied <= Self.count)
        }
        try expectWhole(database.address)
        let copied = try killedCopy(from: database.address, to: "back.sqlite") {
            number("SELECT count(*) FROM customer", in: "back.sqlite")
        }
        #expect(copied > 0 && copied <= Self.count)
        try workspace.done("vault", "copy", database.address, "back.sqlite")
        try expectText(
            workspace.done("vault", "export", "--vault", "back.sqlite").output,
            equals: workspace.done("vault", "export").output)
    }
}
