import Foundation
import Storekeeper
import StorekeeperTesting
import Testing

@testable import StorekeeperPostgres

@Suite(
    "Backup and restore with PostgreSQL's tools", .system,
    .enabled(
        if: TestDatabase.server != nil && ServerPrograms.areInstalled,
        "STOREKEEPER_POSTGRES is not set, or PostgreSQL's programs are not installed"))
struct BackupTests {
    /// Returns the commands of the article, without the commands that follow the restore.
    private static func commands() throws -> String {
        let block = try FleetArticle.blocks(of: "sh").first { $0.contains("pg_restore") }
        return try #require(block).components(separatedBy: "\nstorekeeper ")[0]
    }

    @Test("The article's commands dump a vault and restore all of it but the erasure secret")
    func dump() async throws {
        let database = try await TestDatabase.make()
        let vault = try await PostgresVault(database, options: .init(connections: 2))
        for customer in ["anna", "ben"] as [CustomerID] {
            let grant = LedgerRequest.grant(5, of: "coins", to: customer, because: "x", key: "1", at: .day(1))
            _ = try await vault.move([grant], policy: .debt)
        }
        let fact = try TransactionDraft.purchase(of: "lamp", at: .day(1)).verifiedFact()
        _ = try await vault.commit(CommitBatch(customer: "anna", at: .day(1), facts: [fact]))
        _ = try await vault.erase("ben", reason: "asked", at: .day(2))
        let head = try #require(try await vault.checkIntegrity().head)
        vault.close()

        var address = try #require(URLComponents(string: database))
        let name = "\(address.path.dropFirst())_restored"
        let file = FileManager.default.temporaryDirectory.appending(path: "\(name).dump")
        defer { try? FileManager.default.removeItem(at: file) }
        let script = try Self.commands().replacing("restored", with: name).replacing("vault.dump", with: file.path)
            .replacing("postgres://owner@db1/storekeeper", with: database)
        let words = [
            "env", "PATH=\(try #require(ServerPrograms.folder)):\(ProcessInfo.processInfo.environment["PATH"] ?? "")",
            "PGHOST=\(address.host ?? "")", "PGPORT=\(address.port ?? 5432)", "PGUSER=\(address.user ?? "")",
            "PGPASSWORD=\(address.password ?? "")", "bash", "-euc", script,
        ]
        _ = try await offThread { try ServerPrograms.run(words) }

        address.path = "/" + name
        let restored = try await PostgresVault(
            try #require(address.string), options: .init(connections: 2, makesSchema: false))
        defer { restored.close() }
        let after = try await restored.checkIntegrity(containing: head)
        #expect(after.faults == [] && after.head == head)
        #expect(try await restored.load("anna").facts.map(\.fact.jws.compact) == [fact.jws.compact])
        #expect(try await restored.balances(of: "anna").map(\.amount) == [5])
        // Without the secret, an erased customer is not recognised.
        #expect(try await restored.erasures(of: "ben").isEmpty)
        // The restored vault accepts writes.
        let next = LedgerRequest.grant(1, of: "coins", to: "anna", because: "x", key: "2", at: .day(3))
        _ = try await restored.move([next], policy: .debt)
        #expect(try await restored.checkIntegrity(containing: head).faults == [])
    }
}
