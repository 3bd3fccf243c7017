import Storekeeper
import StorekeeperPostgres
import StorekeeperTesting
import Synchronization
import Testing

@Suite("A fleet on one database", .system, .enabled(if: TestDatabase.server != nil, "STOREKEEPER_POSTGRES is not set"))
struct FleetTests {
    private static let coins = Product(id: "coins.500", type: .consumable, grants: ["coins": 500])
    private static let rule = LedgerRule(catalog: Catalog(products: [coins], groups: [], features: []))

    @Test("Nodes that are called in turn conform to the laws of a vault")
    func obeysTheLaws() async throws {
        try await VaultConformance {
            try await Fleet(try await TestDatabase.make(), nodes: 3, options: .init(connections: 3))
        }.run()
    }

    @Test("A key that several nodes use at once spends once, and the balance is never overdrawn")
    func spends() async throws {
        let fleet = try await Fleet(try await TestDatabase.make(), nodes: 4, options: .init(connections: 4))
        defer { fleet.close() }
        _ = try await fleet.move(
            [.grant(1_000, of: "coins", to: "anna", because: "start", key: "start", at: .day(1))], policy: .debt)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask {
                    // Four calls use each key.
                    let request = LedgerRequest.spend(
                        30, of: "coins", by: "anna", key: "order \(number / 4)", at: .day(2))
                    _ = try await fleet.move([request], policy: .debt)
                }
            }
            try await group.waitForAll()
        }
        let balance = try #require(try await fleet.balances(of: "anna").first)
        #expect(balance.amount == 1_000 - 33 * 30)
        let entries = try await fleet.entries(after: .start, of: "anna", limit: 1_000)
        #expect(entries.map(\.number) == Array(1...34))
        #expect(try await fleet.checkIntegrity().faults == [])
    }

    @Test("A chain that several nodes claim at once has one owner")
    func claims() async throws {
        let fleet = try await Fleet(try await TestDatabase.make(), nodes: 4, options: .init(connections: 4))
        defer { fleet.close() }
        for number in 0..<20 {
            let fact = try TransactionDraft.purchase(
                of: Self.coins, at: .day(1), id: Transaction.ID(rawValue: "\(1_000 + number)")
            ).verifiedFact()
            let subject = BindingSubject.chain(ChainID(try #require(fact.transaction)))
            let refused = try await withThrowingTaskGroup(of: CustomerID?.self) { group in
                for name in ["anna", "ben", "cleo", "dora"] as [CustomerID] {
                    group.addTask { try await fleet.claim(subject, for: name, at: .day(1)) }
                }
                return try await group.reduce(into: [CustomerID?]()) { $0.append($1) }
            }
            #expect(refused.count { $0 == nil } == 1)
            #expect(Set(refused.compactMap { $0 }).count == 1)
        }
        #expect(try await fleet.checkIntegrity().faults == [])
    }

    @Test("Evidence that is parked while its chain is claimed is adopted or reported as adoptable, never lost")
    func parking() async throws {
        let fleet = try await Fleet(try await TestDatabase.make(), nodes: 4, options: .init(connections: 4))
        defer { fleet.close() }
        for number in 0..<30 {
            let customer = CustomerID(rawValue: "customer \(number)")
            let fact = try TransactionDraft.purchase(
                of: Self.coins, at: .day(1), id: Transaction.ID(rawValue: "\(2_000 + number)")
            ).verifiedFact()
            let chain = ChainID(try #require(fact.transaction))
            async let parking = fleet.commit(
                CommitBatch(for: .owner(primary: nil), at: .day(1), facts: [fact], rule: Self.rule))
            async let claiming = fleet.claim(.chain(chain), for: customer, at: .day(1))
            _ = try await (parking, claiming)
            let known = try await fleet.facts(after: .start, of: customer, limit: 10).count
            let adoptable = try await fleet.adoptable(by: customer, after: .start, limit: 10).rows.count
            #expect(known + adoptable == 1, "customer \(number)")
        }
    }

    @Test("A reader that continues from its place sees each row that nodes write at once, exactly once")
    func feed() async throws {
        let fleet = try await Fleet(try await TestDatabase.make(), nodes: 4, options: .init(connections: 4))
        defer { fleet.close() }
        let isDone = Atomic<Bool>(false)
        let total = 400
        async let read = { () async throws -> [LedgerEntry] in
            var (place, seen) = (FeedPlace.start, [LedgerEntry]())
            while true {
                let ends = isDone.load(ordering: .acquiring)
                let page = try await fleet.entries(after: place, of: nil, limit: 7)
                seen += page
                place = page.last?.place ?? place
                if page.isEmpty, ends { return seen }
            }
        }()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<total {
                group.addTask {
                    _ = try await fleet.move(
                        [
                            .grant(
                                1, of: "coins", to: CustomerID(rawValue: "c\(number % 50)"), because: "x",
                                key: "\(number)", at: .day(1))
                        ], policy: .debt)
                }
            }
            try await group.waitForAll()
        }
        isDone.store(true, ordering: .releasing)
        let seen = try await read
        #expect(seen.count == total)
        #expect(Set(seen.map { $0.place.description }).count == total)
        #expect(Set(seen.map { "\($0.customer) \($0.number)" }).count == total)
    }

    @Test("An erased customer leaves no name behind, and their account starts again at 1")
    func erasure() async throws {
        let database = try await TestDatabase.make()
        let vault = try await PostgresVault(database, options: .init(connections: 3))
        defer { vault.close() }
        let fact = try TransactionDraft.purchase(of: Self.coins, at: .day(1), id: "1").verifiedFact()
        _ = try await vault.commit(CommitBatch(customer: "anna-secret", at: .day(1), facts: [fact], rule: Self.rule))
        let erasure = try await vault.erase("anna-secret", reason: "asked", at: .day(2))
        #expect(try await vault.erasures(of: "anna-secret") == [erasure])
        #expect(try await vault.erasures(of: "ben") == [])
        #expect(try await vault.checkIntegrity().faults == [])
        let text = try await TestDatabase.dump(database)
        #expect(!text.contains("anna-secret"))
        let id = "anna-secret"
        _ = try await vault.move(
            [.grant(1, of: "coins", to: CustomerID(rawValue: id), because: "x", key: "1", at: .day(3))], policy: .debt)
        #expect(try await vault.entries(after: .start, of: CustomerID(rawValue: id), limit: 5).map(\.number) == [1])
        #expect(try await vault.checkIntegrity().faults == [])
    }
}
