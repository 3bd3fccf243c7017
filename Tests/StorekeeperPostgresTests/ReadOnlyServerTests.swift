import Foundation
import Storekeeper
import StorekeeperPostgres
import StorekeeperTesting
import Testing

@Suite(
    "A read-only server", .serialized, .proof,
    .enabled(if: ServerPrograms.areInstalled, "no PostgreSQL server is installed"))
struct ReadOnlyServerTests {
    private static let gift = LedgerRequest.grant(5, of: "coins", to: "anna", because: "x", key: "1", at: .day(1))

    @Test("A read-only database can be read, and refuses writes as read-only", arguments: ["any", "read-write"])
    func readOnly(attributes: String) async throws {
        let server = try await PostgresServer.shared.value
        let database = try await server.makeVault()
        let vault = try await PostgresVault(
            database.replacingOccurrences(of: "=read-write", with: "=\(attributes)"), options: .init(connections: 3))
        defer { vault.close() }
        _ = try await vault.move([Self.gift], policy: .debt)
        let name = try #require(URLComponents(string: database)?.path.dropFirst())
        try await server.run(
            "ALTER DATABASE \(name) SET default_transaction_read_only = on",
            // Waits until the connections have ended, because a step that is interrupted by the end of its connection
            // gets another error.
            "SELECT pg_terminate_backend(pid, 60000)::text FROM pg_stat_activity WHERE datname = '\(name)'")
        let error = await #expect(throws: VaultError.self) {
            _ = try await vault.move(
                [.spend(1, of: "coins", by: "anna", key: "2", at: .day(2))], policy: .debt)
        }
        #expect(error?.code == .readOnly)
        if attributes == "any" { #expect(try await vault.balances(of: "anna").first?.amount == 5) }
    }

    @Test("A standby can be read, and refuses writes as read-only")
    func standby() async throws {
        let primary = try await PostgresServer.make()
        let vault = try await PostgresVault(primary.address, options: .init(connections: 3))
        defer { vault.close() }
        _ = try await vault.move([Self.gift], policy: .debt)
        let standby = try await primary.makeStandby()
        let reader = try await PostgresVault(
            PostgresServer.address(of: [standby], attributes: "any"), options: .init(connections: 3))
        defer { reader.close() }
        #expect(try await reader.balances(of: "anna").first?.amount == 5)
        #expect(try await reader.entries(after: .start, of: nil, limit: 5).count == 1)
        #expect(try await reader.checkIntegrity().faults == [])
        let batch = CommitBatch(customer: "ben", at: .day(1), syncedAt: .day(1))
        for write in [
            { _ = try await reader.move([.spend(1, of: "coins", by: "anna", key: "2", at: .day(2))], policy: .debt) },
            { try await reader.setCursor(UpdateCursor(rawValue: "1"), of: "backend") },
            { _ = try await reader.commit(batch) },
            { _ = try await reader.erase("anna", reason: "asked", at: .day(3)) },
        ] as [@Sendable () async throws -> Void] {
            let error = await #expect(throws: VaultError.self) { try await write() }
            #expect(error?.code == .readOnly)
        }
        #expect(try await vault.balances(of: "anna").first?.amount == 5)
    }
}
