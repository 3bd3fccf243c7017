import Foundation
import Storekeeper
import StorekeeperTesting
import Synchronization
import Testing

@testable import StorekeeperSQLite

/// Tests that readers and writers of one file do not wait for each other.
@Suite("Readers and writers do not block each other", .timeLimit(.minutes(20)))
struct SharingTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file()
    }

    /// The time limit of locks.
    ///
    /// It is two minutes, because a test that passes never waits, and a test that waits for a lock fails only at this
    /// limit.
    private static let patience: Int64 = 120_000
    private static let patient = SQLiteVault.Options(busyTimeout: patience)

    @Test("Steps, an erasure and closing do not wait for a reader that holds a snapshot")
    func besideReader() async throws {
        let first = try SQLiteVault(path: path, options: Self.patient)
        try await first.commitAll(Shop.batch([1, 2]))
        try await first.commitAll(Shop.batch([3], for: "berta"))
        let reader = try OtherConnection(to: path)
        try reader.begin()
        try await first.spend(3, key: "a")
        _ = try await first.erase("berta", reason: "asked", at: .day(402))
        try first.close()
        let second = try SQLiteVault(path: path, options: Self.patient)
        try await second.spend(4, key: "b")
        try second.close()
        // The reader still reads its snapshot.
        #expect(try reader.number("SELECT count(*) FROM ledger WHERE customer IS NOT NULL") == 3)
        try reader.end()
        // Two spends were added, and Berta's entry was erased.
        #expect(try reader.number("SELECT count(*) FROM ledger WHERE customer IS NOT NULL") == 4)
    }

    @Test("A reader does not wait for a writer in the middle of a step", arguments: [true, false])
    func besideWriter(isReadOnly: Bool) async throws {
        let vault = try SQLiteVault(path: path)
        try await vault.commitAll(Shop.batch([1]))
        let writer = try OtherConnection(to: path)
        try writer.run("BEGIN IMMEDIATE; UPDATE meta SET sequence = sequence + 1")
        let other = try SQLiteVault(
            path: path, options: .init(busyTimeout: Self.patience, isReadOnly: isReadOnly, checksAtOpen: true))
        #expect(try await other.balances(of: "anna").first?.amount == 500)
        #expect(try await other.checkIntegrity().faults == [])
        // A vault that has not written needs no write lock to close.
        try other.close()
        try writer.run("ROLLBACK")
        try vault.close()
    }

    @Test("Closing does not wait for a write lock that another process holds")
    func closingBesideWriter() async throws {
        let vault = try SQLiteVault(path: path, options: Self.patient)
        try await vault.commitAll(Shop.batch([1]))
        let writer = try OtherConnection(to: path)
        try writer.run("BEGIN IMMEDIATE")
        try vault.close()
        try writer.run("COMMIT")
    }

    @Test("Erased bytes that a reader still sees are reported, and removed when the reader ends")
    func erasedBytes() async throws {
        let name = "berta-7b31d0"
        let vault = try SQLiteVault(path: path, options: Self.patient)
        try await vault.commitAll(Shop.batch([1], for: CustomerID(rawValue: name)))
        #expect(!vault.holdsErasedBytes)
        let reader = try OtherConnection(to: path)
        try reader.begin()
        _ = try await vault.erase(CustomerID(rawValue: name), reason: "asked", at: .day(402))
        #expect(vault.holdsErasedBytes)
        #expect(try reader.number("SELECT count(*) FROM customer WHERE name = '\(name)'") == 1)
        #expect(try bytes().contains(name))
        try reader.end()
        // The reader keeps the file open, so the log still exists after the vault was closed.
        try vault.close()
        #expect(FileManager.default.fileExists(atPath: path + "-wal"))
        #expect(!(try bytes().contains(name)))
        #expect(!vault.holdsErasedBytes)
    }

    @Test("Erased bytes are removed at once, also from the log, if there is no reader")
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

    @Test("A pool's next answer contains what another process has committed, and its own commits need no second look")
    func otherProcess() async throws {
        let (own, other) = (try SQLiteVault(path: path), try SQLiteVault(path: path))
        try await own.commitAll(Shop.batch([1]))
        let pool = StorePool(
            configuration: .init(readsHistories: false), vault: own, verifier: DraftVerifier())
        func coins() async throws -> Int64 { try await pool.snapshot(of: "anna").balance(of: "coins").amount }
        #expect(try await coins() == 500)
        for (index, expected) in [(1, 490), (2, 480), (3, 470)] as [(Int, Int64)] {
            try await other.spend(10, key: LedgerRequest.Key("other-\(index)"))
            #expect(try await coins() == expected)
        }
        // A request of this process uses the newest balance, too, and does not count as another process's commit.
        let start = try #require(own.foreignCommits)
        _ = try await pool.withStore("anna") { try await $0.spend(70, of: "coins", key: "own") }
        try await own.commitAll(Shop.batch([2], for: "berta"))
        #expect(own.foreignCommits == start)
        #expect(try await coins() == 400)
        // Between two commits of this process, one of another process is noticed.
        try await other.spend(100, key: "between")
        try await own.spend(50, by: "berta", key: "berta")
        #expect(own.foreignCommits != start)
        #expect(try await coins() == 300)
        try other.close()
        try own.close()
    }

    @Test("Commits of others are noticed after the file could not be read while this vault committed")
    func unreadableFile() throws {
        let vault = try SQLiteVault(path: path)
        let file = VaultFile(path: path, busyTimeout: Self.patience)
        let isUnreadable = Mutex(true)
        let commits = ForeignCommits(of: file) { () throws(VaultError) -> Connection in
            if isUnreadable.withLock({ $0 }) { throw VaultError(.io, "the disk is gone") }
            return try Connection(to: file, .reading)
        }
        #expect(throws: VaultError.self) { try commits.count() }
        commits.beginOwn()
        commits.endOwn(of: try Connection(to: file, .writing))
        isUnreadable.withLock { $0 = false }
        #expect(try commits.count() >= 0)
        commits.close()
        try vault.close()
    }

    /// Returns all bytes of the vault's files, each as one character.
    private func bytes() throws -> String {
        var all = Data()
        for end in ["", "-wal"] where FileManager.default.fileExists(atPath: path + end) {
            all += try Data(contentsOf: URL(fileURLWithPath: path + end))
        }
        return try #require(String(data: all, encoding: .isoLatin1))
    }
}
