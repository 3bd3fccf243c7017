import Foundation
import GRDB
import Storekeeper
import StorekeeperSQLite
import StorekeeperTesting
import Testing

@Suite("The log beside the file ends")
struct LogTests {
    private static let pageOfLog = 4_096 + 24
    private let folder: TemporaryFolder
    private let vault: SQLiteVault

    init() throws {
        folder = try TemporaryFolder()
        vault = try SQLiteVault(path: folder.file(), options: .init(synchronous: .normal))
    }

    /// How long the log is, in pages; its file keeps the room that it once took.
    private var pages: Int {
        let size = try? FileManager.default.attributesOfItem(atPath: folder.file() + "-wal")[.size] as? NSNumber
        return (size?.intValue ?? 0) / Self.pageOfLog
    }

    /// Writes a hundred pages and some, again and again without a pause.
    private func write(times: Int) async throws {
        for time in 0..<times {
            // What does not change would not be written.
            try await vault.setCursor(
                UpdateCursor(rawValue: String(repeating: "\(time % 10)", count: 400_000)), of: "backend")
        }
    }

    @Test("A writer that never pauses does not keep it from starting over")
    func endless() async throws {
        try await write(times: 220)
        #expect(pages > 2_000)
        // All that was written is some 22,000 pages.
        #expect(pages < 14_000)
        #expect(try await vault.checkIntegrity().faults == [])
    }

    @Test("An erasure leaves nothing in it, also while it is being taken into the file")
    func erasure() async throws {
        for round in 0..<6 {
            try await vault.commitAll(Shop.batch([round]))
            // The last of these begins a pass.
            try await write(times: 21)
            _ = try await vault.erase("anna", reason: "asked", at: .day(402))
            #expect(pages == 0)
        }
    }

    @Test("Somebody who reads holds it, loses nothing by it, and it starts over after them")
    func held() async throws {
        try await write(times: 1)
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let reader = try DatabaseQueue(path: folder.file(), configuration: configuration)
        try reader.inDatabase { database in
            try database.execute(sql: "BEGIN")
            _ = try Int.fetchOne(database, sql: "SELECT count(*) FROM cursor")
        }
        try await write(times: 100)
        let length = try reader.inDatabase { database in
            try Int.fetchOne(database, sql: "SELECT length(position) FROM cursor")
        }
        #expect(length == 400_000)
        let held = pages
        #expect(held > 9_000)
        try reader.inDatabase { try $0.execute(sql: "COMMIT") }
        try await write(times: 150)
        #expect(pages < held + 6_000)
        #expect(try await vault.cursor(of: "backend")?.rawValue.hasPrefix("99999") == true)
        try vault.close()
        try reader.close()
        #expect(!FileManager.default.fileExists(atPath: folder.file() + "-wal"))
    }
}
