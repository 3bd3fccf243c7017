import Foundation
import GRDBSQLite
import Storekeeper
import StorekeeperTesting
import Testing

@testable import StorekeeperSQLite

/// Readers and writers of one file, none of whom waits for another.
@Suite("Nobody who reads is waited for, nor waits", .timeLimit(.minutes(20)))
struct SharingTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file()
    }

    /// Two minutes: a test that passes has met nobody, one that meets somebody fails and ends.
    private static let patience: Int64 = 120_000
    private static let patient = SQLiteVault.Options(busyTimeout: patience)

    @Test("Steps, an erasure and closing go on beside somebody who holds a state of the file")
    func besideReader() async throws {
        let first = try SQLiteVault(path: path, options: Self.patient)
        try await first.commitAll(Shop.batch([1, 2]))
        try await first.commitAll(Shop.batch([3], for: "berta"))
        let reader = try Reader(of: path)
        try reader.begin()
        try await first.spend(3, key: "a")
        _ = try await first.erase("berta", reason: "asked", at: .day(402))
        try first.close()
        let second = try SQLiteVault(path: path, options: Self.patient)
        try await second.spend(4, key: "b")
        try second.close()
        // The reader still sees what it saw.
        #expect(try reader.number("SELECT count(*) FROM ledger WHERE customer IS NOT NULL") == 3)
        try reader.end()
        // Two were spent, and one was emptied.
        #expect(try reader.number("SELECT count(*) FROM ledger WHERE customer IS NOT NULL") == 4)
    }

    @Test("Somebody who reads goes on beside a writer in the middle of a step", arguments: [true, false])
    func besideWriter(isReadOnly: Bool) async throws {
        let vault = try SQLiteVault(path: path)
        try await vault.commitAll(Shop.batch([1]))
        let writer = try Reader(of: path)
        try writer.run("BEGIN IMMEDIATE; UPDATE meta SET sequence = sequence + 1")
        let other = try SQLiteVault(
            path: path, options: .init(busyTimeout: Self.patience, isReadOnly: isReadOnly, checksAtOpen: true))
        #expect(try await other.balances(of: "anna").first?.amount == 500)
        #expect(try await other.checkIntegrity().faults == [])
        // Who closes without having written needs nobody's lock either.
        try other.close()
        try writer.run("ROLLBACK")
        try vault.close()
    }

    @Test("Closing does not take the lock of those who write while another has it")
    func closingBesideWriter() async throws {
        let vault = try SQLiteVault(path: path, options: Self.patient)
        try await vault.commitAll(Shop.batch([1]))
        let writer = try Reader(of: path)
        try writer.run("BEGIN IMMEDIATE")
        try vault.close()
        try writer.run("COMMIT")
    }

    @Test("Erased bytes that somebody still reads are told of, and go when they are done")
    func erasedBytes() async throws {
        let name = "berta-7b31d0"
        let vault = try SQLiteVault(path: path, options: Self.patient)
        try await vault.commitAll(Shop.batch([1], for: CustomerID(rawValue: name)))
        #expect(!vault.holdsErasedBytes)
        let reader = try Reader(of: path)
        try reader.begin()
        _ = try await vault.erase(CustomerID(rawValue: name), reason: "asked", at: .day(402))
        #expect(vault.holdsErasedBytes)
        #expect(try reader.number("SELECT count(*) FROM customer WHERE name = '\(name)'") == 1)
        #expect(try bytes().contains(name))
        try reader.end()
        // Somebody else keeps the file open, so that the log outlives the vault.
        try vault.close()
        #expect(FileManager.default.fileExists(atPath: path + "-wal"))
        #expect(!(try bytes().contains(name)))
        #expect(!vault.holdsErasedBytes)
    }

    @Test("What nobody reads is gone as soon as it is erased, also from the log")
    func erasedAtOnce() async throws {
        let name = "berta-7b31d0"
        let vault = try SQLiteVault(path: path)
        try await vault.commitAll(Shop.batch([1], for: CustomerID(rawValue: name)))
        #expect(try bytes().contains(name))
        _ = try await vault.erase(CustomerID(rawValue: name), reason: "asked", at: .day(402))
        #expect(!vault.holdsErasedBytes)
        #expect(!(try bytes().contains(name)))
        try vault.close()
    }

    /// All bytes of the vault's files, one character each.
    private func bytes() throws -> String {
        var all = Data()
        for end in ["", "-wal"] where FileManager.default.fileExists(atPath: path + end) {
            all += try Data(contentsOf: URL(fileURLWithPath: path + end))
        }
        return try #require(String(data: all, encoding: .isoLatin1))
    }
}

/// Another who has the file open.
final class Reader {
    private var connection: OpaquePointer?

    init(of path: String) throws {
        guard sqlite3_open_v2(path, &connection, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else {
            throw Unexpected("\(path) cannot be opened")
        }
        _ = try number("SELECT count(*) FROM sqlite_schema")
    }

    deinit { sqlite3_close_v2(connection) }

    /// Holds the file as it is.
    func begin() throws {
        try run("BEGIN")
        _ = try number("SELECT count(*) FROM ledger")
    }

    func end() throws { try run("COMMIT") }

    func run(_ sql: String) throws {
        guard sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK else {
            throw Unexpected("\(sql): \(String(cString: sqlite3_errmsg(connection)))")
        }
    }

    func number(_ sql: String) throws -> Int64 {
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK,
            sqlite3_step(statement) == SQLITE_ROW
        else { throw Unexpected("\(sql): \(String(cString: sqlite3_errmsg(connection)))") }
        return sqlite3_column_int64(statement, 0)
    }
}
