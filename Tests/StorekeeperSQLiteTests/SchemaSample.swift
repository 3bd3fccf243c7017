import Foundation
import Storekeeper
import StorekeeperSQLite
import StorekeeperTesting
import Testing

/// Makes the small vault that the repository contains for the schema of this release, in `Schemas/schema-N.sqlite`.
///
/// A release with a new schema adds a file and does not change the files of earlier releases:
/// `STOREKEEPER_SCHEMA_SAMPLE=Tests/StorekeeperSQLiteTests/Schemas/schema-N.sqlite swift test --filter SchemaSample`.
struct SchemaSample {
    private static let target = ProcessInfo.processInfo.environment["STOREKEEPER_SCHEMA_SAMPLE"]

    @Test("Makes the sample of this release's schema", .enabled(if: target != nil, "a sample was asked for"))
    func make() async throws {
        let target = try #require(Self.target)
        let folder = try TemporaryFolder()
        let vault = try SQLiteVault(path: folder.file())
        try await vault.commitAll(Shop.batch([1, 2]))
        try await vault.commitAll(Shop.batch([3], for: "berta"))
        try await vault.spend(120, key: "sword")
        _ = try await vault.erase("berta", reason: "asked for", at: .day(402))
        _ = try await vault.backup(to: target)
    }
}
