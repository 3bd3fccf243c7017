import Storekeeper
import StorekeeperPostgres
import StorekeeperTesting
import Testing

@Suite(
    "Audit of a PostgreSQL vault", .system, .enabled(if: TestDatabase.server != nil, "STOREKEEPER_POSTGRES is not set"))
struct AuditTests {
    private static let customers: [CustomerID] = ["anna", "ben", "cleo"]

    private func vault() async throws -> (database: String, vault: PostgresVault) {
        let database = try await TestDatabase.make()
        let vault = try await PostgresVault(
            database, options: .init(connections: 2, writers: 1, changeDetection: .none))
        for (number, customer) in Self.customers.enumerated() {
            let purchase = TransactionDraft.purchase(
                of: TestShop.coins, at: .day(1), id: Transaction.ID(rawValue: "\(number)"))
            let fact = try VerifiedFact(restoring: try #require(CompactJWS(purchase.jws)))
            _ = try await vault.commit(
                CommitBatch(
                    customer: customer, at: .day(1), facts: [fact], rule: LedgerRule(catalog: TestShop.catalog)))
        }
        return (database, vault)
    }

    @Test(
        "The audit finds no fault while a writer commits before each read and a customer is erased",
        arguments: [7, 1_000])
    func beside(_ pageSize: Int) async throws {
        let (_, vault) = try await vault()
        defer { vault.close() }
        let restless = FaultyVault(vault) { number in
            _ = try? await vault.move(
                Self.customers.map {
                    .grant(1, of: "gems", to: $0, because: "a gift", key: "r\(number)", at: .day(7))
                }, policy: .debt)
            // With large pages, the audit has now counted all facts and entries, but has not yet audited any single
            // customer.
            if number == 5 { _ = try? await vault.erase("ben", reason: "asked for", at: .day(8)) }
        }
        let report = try await VaultAudit(vault: restless, verifier: TestVerifier(), pageSize: pageSize).run()
        #expect(report.faults == [])
        #expect(try await !vault.erasures(of: "ben").isEmpty)
    }

    @Test("The audit reports rows without a customer")
    func strays() async throws {
        let (database, vault) = try await vault()
        defer { vault.close() }
        #expect(try await VaultAudit(vault: vault, verifier: TestVerifier()).run().faults == [])
        try await TestDatabase.run("DELETE FROM storekeeper.customer WHERE name = 'ben'", in: database)
        let faults = try await VaultAudit(vault: vault, verifier: TestVerifier()).run().faults
        #expect(faults.contains { $0.kind == .storage && $0.subject == "fact" })
        #expect(faults.contains { $0.kind == .storage && $0.subject == "entry" })
    }
}
