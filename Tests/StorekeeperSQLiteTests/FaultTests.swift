import CLibsqlite3
import Foundation
import Storekeeper
import StorekeeperTesting
import Testing

@testable import StorekeeperSQLite

/// Tests of the behaviour of a vault when the disk, the file or another process fails.
struct FaultTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file()
    }

    /// The state of a vault that a batch could have changed.
    private struct State: Equatable {
        let facts: [FeedPlace]
        let entries: [LedgerEntry]
        let balances: [Balance]
        let unfinished: [OutboxItem]
        let version: Int64

        init(_ vault: SQLiteVault) async throws {
            let record = try await vault.load("anna")
            facts = record.facts.map(\.place)
            entries = try await vault.entries(after: .start, of: nil, limit: .max)
            balances = record.balances
            unfinished = record.unfinished
            version = record.version
        }
    }

    @Test("A full disk throws a typed error and changes nothing, and writes succeed once there is room")
    func fullDisk() async throws {
        let vault = try SQLiteVault(path: path)
        try await vault.commitAll(Shop.batch([0]))
        let start = try vault.onWriter { try $0.number("PRAGMA page_count") }
        var failures = 0
        for pages in 0..<40 {
            try vault.onWriter { try $0.execute("PRAGMA max_page_count = \(start + Int64(pages))") }
            let before = try await State(vault)
            let batch = try Shop.batch(Array(pages * 100..<pages * 100 + 30))
            do throws(VaultError) {
                _ = try await vault.commit(batch)
                break
            } catch {
                failures += 1
                #expect(error.code == .full)
                #expect(error.message.contains(path))
                #expect(try await State(vault) == before)
            }
        }
        #expect(failures > 3)
        try vault.onWriter { try $0.execute("PRAGMA max_page_count = 1000000") }
        try await vault.commitAll(Shop.batch([9_000]))
        #expect(try await vault.checkIntegrity().faults == [])
    }

    @Test("A write interrupted at any SQLite instruction changes nothing, and the same write succeeds later")
    func everyInstruction() async throws {
        let vault = try SQLiteVault(path: path)
        try await vault.commitAll(Shop.batch([0]))
        let fuse = StatementInterrupter()
        func arm(_ instructions: Int?) throws {
            try vault.onWriter { connection in
                fuse.left = instructions
                let context = Unmanaged.passUnretained(fuse).toOpaque()
                sqlite3_progress_handler(
                    connection.handle, instructions == nil ? 0 : 1,
                    { context in
                        guard let context else { return 0 }
                        return Unmanaged<StatementInterrupter>.fromOpaque(context).takeUnretainedValue().burn()
                    }, context)
            }
        }
        var before = try await State(vault)
        var failures = 0
        for instructions in stride(from: 1, to: 100_000, by: 3) {
            try arm(instructions)
            var code: VaultError.Code?
            do throws(VaultError) {
                let batch = CommitBatch(
                    customer: "anna", at: .day(400), facts: Self.facts, rule: Shop.rule, owesDelivery: true,
                    notifications: ["a"])
                _ = try await vault.commit(batch)
            } catch {
                code = error.code
            }
            try arm(nil)
            let after = try await State(vault)
            if code == nil {
                #expect(after.facts.count == before.facts.count + 3)
                before = after
                break
            }
            failures += 1
            #expect(code == .io)
            #expect(after == before, "after \(instructions) instructions")
        }
        #expect(failures > 50)
        #expect(before.balances.first?.amount == 2_000)
        #expect(try await vault.checkIntegrity().faults == [])
    }

    private static let facts = (1...3).compactMap { try? Shop.purchase($0).verifiedFact() }

    @Test("A vault that another process keeps locked throws a typed error, and writes once the lock is released")
    func locked() async throws {
        let vault = try SQLiteVault(path: path, options: .init(busyTimeout: 50))
        try await vault.commitAll(Shop.batch([1]))
        let before = try await State(vault)
        var other: OpaquePointer?
        #expect(sqlite3_open(path, &other) == SQLITE_OK)
        defer { sqlite3_close_v2(other) }
        #expect(sqlite3_exec(other, "BEGIN IMMEDIATE", nil, nil, nil) == SQLITE_OK)
        let error = await #expect(throws: VaultError.self) { try await vault.commit(Shop.batch([2])) }
        #expect(error?.code == .locked)
        #expect(error?.message.contains("50 ms") == true)
        #expect(try await State(vault) == before)
        #expect(sqlite3_exec(other, "COMMIT", nil, nil, nil) == SQLITE_OK)
        try await vault.commitAll(Shop.batch([2]))
    }

    @Test("A file that was removed or replaced takes no more acknowledged writes", arguments: [false, true])
    func removed(isReplaced: Bool) async throws {
        let vault = try SQLiteVault(path: path)
        try await vault.commitAll(Shop.batch([1]))
        for end in ["", "-wal", "-shm"] { try FileManager.default.removeItem(atPath: path + end) }
        if isReplaced { try SQLiteVault(path: path).close() }
        let error = await #expect(throws: VaultError.self) { try await vault.commit(Shop.batch([2])) }
        #expect(error?.code == .notFound)
        if isReplaced {
            let fresh = try SQLiteVault(path: path)
            #expect(try await fresh.load("anna").facts.isEmpty)
        }
    }

    @Test("A connection that may not write throws a typed error")
    func refusedByTheDisk() async throws {
        let vault = try SQLiteVault(path: path)
        try await vault.commitAll(Shop.batch([1]))
        try vault.onWriter { try $0.execute("PRAGMA query_only = ON") }
        let error = await #expect(throws: VaultError.self) { try await vault.commit(Shop.batch([2])) }
        #expect(error?.code == .readOnly)
        try vault.onWriter { try $0.execute("PRAGMA query_only = OFF") }
        try await vault.commitAll(Shop.batch([2]))
    }

    @Test("Damaged pages cause errors or faults, never a crash or a wrong answer", arguments: 0..<24)
    func damagedPages(_ seed: Int) async throws {
        let vault = try SQLiteVault(path: path)
        try await vault.commitAll(Shop.batch(Array(0..<60)))
        let whole = try await State(vault)
        try vault.close()
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        let size = try file.seekToEnd()
        let pages = size / 4096
        try #require(pages > 10, "closing has emptied the log into the file")
        // A whole page is overwritten with one repeated byte. With all seeds, every kind of page is overwritten.
        let page = 1 + UInt64(seed) * 7 % (pages - 1)
        try file.seek(toOffset: page * 4096)
        try file.write(contentsOf: Data(repeating: 0xA5, count: 4096))
        try file.close()
        do throws(VaultError) {
            let damaged = try SQLiteVault(path: path, options: .init(creation: .never))
            defer { try? damaged.close() }
            let report = try await damaged.checkIntegrity()
            #expect(!report.faults.isEmpty, "page \(page) of \(pages) was overwritten and nothing was found")
            let entries = try await damaged.entries(after: .start, of: "anna", limit: .max)
            #expect(entries == whole.entries)
        } catch {
            #expect([.corrupt, .notAVault, .io].contains(error.code), "\(error)")
        }
        #expect(throws: VaultError.self) { try SQLiteVault(path: path, options: .init(checksAtOpen: true)).close() }
    }
}

/// Interrupts one statement once, after a number of instructions.
///
/// It is safe because it is used only on the queue of one connection.
private final class StatementInterrupter: @unchecked Sendable {
    var left: Int?

    func burn() -> CInt {
        guard let left else { return 0 }
        self.left = left > 0 ? left - 1 : nil
        return left > 0 ? 0 : 1
    }
}
