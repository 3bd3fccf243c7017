import Storekeeper
import StorekeeperTesting
import Synchronization
import Testing

@testable import StorekeeperPostgres

@Suite(
    "Round trips to PostgreSQL", .system, .enabled(if: TestDatabase.server != nil, "STOREKEEPER_POSTGRES is not set"))
struct RoundTripTests {
    private static let coins = Product(id: "coins.500", type: .consumable, grants: ["coins": 500])
    private static let rule = LedgerRule(catalog: Catalog(products: [coins], groups: [], features: []))

    private static func credit(_ number: Int) throws -> CommitBatch {
        let fact = try TransactionDraft.purchase(
            of: coins, at: .day(1), id: Transaction.ID(rawValue: "\(1_000 + number)")
        ).verifiedFact()
        return CommitBatch(
            customer: CustomerID(rawValue: "customer-\(number % 50)"), at: .day(2), facts: [fact], rule: rule,
            owesDelivery: true)
    }

    /// Makes a vault with one connection for writes, which is also the first connection that the pool lends.
    private static func vault() async throws -> PostgresVault {
        let vault = try await PostgresVault(
            try await TestDatabase.make(), options: PostgresVault.Options(connections: 1, writers: 1))
        _ = try await vault.commit(try credit(0))
        return vault
    }

    private static func roundTrips(of vault: PostgresVault) async throws -> Int {
        try await vault.storage.pool.run { connection in connection.roundTrips }
    }

    /// Returns the number of written groups.
    ///
    /// Each group records itself as a step with its first place.
    private static func groups(of vault: PostgresVault) async throws -> Int {
        let count = try await vault.storage.pool.run { connection throws(PostgresFailure) in
            try connection.run(
                Statement("SELECT count(*) FROM storekeeper.step WHERE first IS NOT NULL"), within: .seconds(20)
            ).first { row throws(PostgresFailure) in try row.int() }
        }
        return Int(try #require(count))
    }

    @Test("A step takes two round trips: one locks and loads, the other writes and commits")
    func step() async throws {
        let vault = try await Self.vault()
        defer { vault.close() }
        for number in 1...5 {
            let before = try await Self.roundTrips(of: vault)
            _ = try await vault.commit(try Self.credit(number))
            #expect(try await Self.roundTrips(of: vault) - before == 2)
        }
    }

    @Test("A group of steps takes two round trips, independent of its size")
    func group() async throws {
        let vault = try await Self.vault()
        defer { vault.close() }
        let groupsBefore = try await Self.groups(of: vault)
        let before = try await Self.roundTrips(of: vault)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...200 {
                let batch = try Self.credit(number)
                group.addTask { _ = try await vault.commit(batch) }
            }
            try await group.waitForAll()
        }
        let trips = try await Self.roundTrips(of: vault) - before
        let groups = try await Self.groups(of: vault) - groupsBefore
        #expect(trips == 2 * groups)
        #expect(groups < 200)
    }

    @Test("A step takes one more round trip for each time that it asks for more than was loaded")
    func extensions() async throws {
        let vault = try await Self.vault()
        defer { vault.close() }
        let runs = Mutex(0)
        let before = try await Self.roundTrips(of: vault)
        let request = LedgerRequest.spend(30, of: "coins", by: "customer-0", key: "order", at: .day(3))
        let receipts = try await vault.write { tables throws(VaultError) in
            runs.withLock { $0 += 1 }
            return try VaultRules.move([request], policy: .debt, in: &tables)
        }
        guard case .success? = receipts.first else {
            Issue.record("the spend was refused")
            return
        }
        let extensions = runs.withLock { $0 } - 1
        #expect(extensions > 0)
        #expect(try await Self.roundTrips(of: vault) - before == 2 + extensions)
    }
}
