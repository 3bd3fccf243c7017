import Storekeeper
import StorekeeperTesting
import Testing

@testable import StorekeeperPostgres

@Suite(
    "Rows that another program has locked", .system,
    .enabled(if: TestDatabase.server != nil, "STOREKEEPER_POSTGRES is not set"))
struct BlockedCustomerTests {
    private static let limit = Duration.seconds(20)

    private static func grant(to name: String, _ key: LedgerRequest.Key, in vault: PostgresVault) async throws {
        let request = LedgerRequest.grant(
            1, of: "coins", to: CustomerID(rawValue: name), because: "a gift", key: key, at: .day(1))
        _ = try await vault.move([request], policy: .debt)
    }

    @Test("Steps about locked customers wait for the locks, and steps about other customers do not")
    func foreignLock() async throws {
        let database = try await TestDatabase.make()
        let vault = try await PostgresVault(database, options: .init(connections: 4, writers: 1))
        defer { vault.close() }
        let locked = ["anna", "bert"]
        for name in locked { try await Self.grant(to: name, "first", in: vault) }
        let pool = ConnectionPool(try ConnectionSettings(database), size: 1)
        defer { pool.close() }
        let holder = try await pool.acquire()
        let lock = [Call(.begin), Call(Statement("SELECT id FROM storekeeper.customer FOR UPDATE"))]
        try await holder.run { connection throws(PostgresFailure) in _ = try connection.run(lock, within: Self.limit) }
        let isDone = Flag()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for name in locked {
                for key in ["second", "third"] {
                    group.addTask {
                        try await Self.grant(to: name, LedgerRequest.Key(key), in: vault)
                        isDone.set()
                    }
                }
            }
            let start = ContinuousClock.now
            for number in 0..<50 { try await Self.grant(to: "customer-\(number)", "gift", in: vault) }
            #expect(ContinuousClock.now - start < .seconds(15))
            #expect(!isDone.isSet)
            try await holder.proceed { connection throws(PostgresFailure) in
                _ = try connection.run(.rollback, within: Self.limit)
            }
            try await group.waitForAll()
        }
        for name in locked {
            #expect(try await vault.balances(of: CustomerID(rawValue: name)).map(\.amount) == [3])
        }
        #expect(try await vault.checkIntegrity().faults == [])
    }

    @Test(
        "A step about many customers fails if one of them is locked, so that the others need not wait",
        .timeLimit(.minutes(5)))
    func manyCustomers() async throws {
        let database = try await TestDatabase.make()
        let vault = try await PostgresVault(
            database, options: .init(connections: 4, writers: 1, timeout: .seconds(600)))
        defer { vault.close() }
        let names = (0..<40).map { "customer-\($0)" }
        for name in names { try await Self.grant(to: name, "first", in: vault) }
        let pool = ConnectionPool(try ConnectionSettings(database), size: 1)
        defer { pool.close() }
        let holder = try await pool.acquire()
        let lock = [
            Call(.begin),
            Call(Statement("SELECT id FROM storekeeper.customer WHERE name = 'customer-7' FOR UPDATE")),
        ]
        try await holder.run { connection throws(PostgresFailure) in _ = try connection.run(lock, within: Self.limit) }
        let customers = names.map { CustomerID(rawValue: $0) }
        let begin: @Sendable (inout WebhookStep) throws(VaultError) -> Void = { $0.begin(after: .start) }
        let error = await #expect(throws: VaultError.self) {
            try await vault.changeWebhook("game", of: customers, isWhole: true, begin)
        }
        #expect(error?.code == .locked)
        for name in names where name != "customer-7" { try await Self.grant(to: name, "second", in: vault) }
        try await holder.proceed { connection throws(PostgresFailure) in
            _ = try connection.run(.rollback, within: Self.limit)
        }
        try await vault.changeWebhook("game", of: customers, isWhole: true, begin)
        #expect(try await vault.webhookState(of: "game")?.queuedThrough == .start)
    }
}
