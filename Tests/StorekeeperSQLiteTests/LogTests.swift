import Foundation
import Storekeeper
import StorekeeperTesting
import Testing

@testable import StorekeeperSQLite

@Suite("The write-ahead log stays bounded", .timeLimit(.minutes(20)))
struct LogTests {
    private static let pageOfLog = 4_096 + 24
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// - Parameter hasConcurrentWriter: Whether checkpoints may run during writes, as the vault permits with some
    ///   releases of SQLite.
    private func open(hasConcurrentWriter: Bool) throws -> SQLiteVault {
        var options = SQLiteVault.Options(synchronous: .normal)
        options.takesInLogBesideWriters = hasConcurrentWriter
        return try SQLiteVault(path: folder.file(), options: options)
    }

    /// The length of the log's file in pages.
    ///
    /// The file does not shrink when the log restarts.
    private var pages: Int {
        let size = try? FileManager.default.attributesOfItem(atPath: folder.file() + "-wal")[.size] as? NSNumber
        return (size?.intValue ?? 0) / Self.pageOfLog
    }

    /// Writes somewhat more than a hundred pages each time, several times without a pause.
    private func write(_ vault: SQLiteVault, times: Int) async throws {
        for time in 0..<times {
            // Each value differs from the value before, because an unchanged value would not be written.
            try await vault.setCursor(
                UpdateCursor(rawValue: String(repeating: "\(time % 10)", count: 400_000)), of: "backend")
        }
    }

    @Test("A writer that never pauses does not keep the log from restarting", arguments: [true, false])
    func endless(hasConcurrentWriter: Bool) async throws {
        let vault = try open(hasConcurrentWriter: hasConcurrentWriter)
        try await write(vault, times: 220)
        #expect(pages > 2_000)
        // About 22,000 pages are written in total.
        #expect(pages < 14_000)
        #expect(try await vault.checkIntegrity().faults == [])
    }

    @Test("An erasure leaves no erased data in the log, also during a checkpoint", arguments: [true, false])
    func erasure(hasConcurrentWriter: Bool) async throws {
        let vault = try open(hasConcurrentWriter: hasConcurrentWriter)
        for round in 0..<6 {
            try await vault.commitAll(Shop.batch([round]))
            // The last write begins a checkpoint.
            try await write(vault, times: 21)
            _ = try await vault.erase("anna", reason: "asked", at: .day(402))
            // The log has restarted, with a page that contains no customer's data.
            #expect(pages <= 1)
            #expect(!vault.holdsErasedBytes)
        }
    }

    @Test(
        "A reader keeps the log from restarting, sees a stable state, and the log restarts after it ends",
        arguments: [true, false])
    func held(hasConcurrentWriter: Bool) async throws {
        let vault = try open(hasConcurrentWriter: hasConcurrentWriter)
        try await write(vault, times: 1)
        var reader: OtherConnection? = try OtherConnection(to: folder.file())
        try reader?.begin()
        try await write(vault, times: 100)
        let length = try reader?.number("SELECT length(position) FROM cursor")
        #expect(length == 400_000)
        let held = pages
        #expect(held > 9_000)
        try reader?.end()
        try await write(vault, times: 150)
        #expect(pages < held + 6_000)
        #expect(try await vault.cursor(of: "backend")?.rawValue.hasPrefix("99999") == true)
        try vault.close()
        reader = nil
        #expect(!FileManager.default.fileExists(atPath: folder.file() + "-wal"))
    }

    @Test("Checkpoints run during writes only with a release of SQLite that cannot lose a commit by them")
    func versions() {
        let safe: [CInt] = [3_044_006, 3_050_007, 3_051_003, 3_052_000, 4_000_000]
        let unsafe: [CInt] = [3_040_001, 3_044_005, 3_045_000, 3_050_006, 3_051_000, 3_051_002]
        #expect(safe.filter { !Checkpointer.isSafeBesideWriters($0) } == [])
        #expect(unsafe.filter { Checkpointer.isSafeBesideWriters($0) } == [])
    }
}
