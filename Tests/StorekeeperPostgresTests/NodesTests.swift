import Storekeeper
import StorekeeperTesting
import Synchronization
import Testing

@testable import StorekeeperPostgres

@Suite(
    "Nodes that share a database", .system, .enabled(if: TestDatabase.server != nil, "STOREKEEPER_POSTGRES is not set"))
struct NodesTests {
    private static let coins = Product(id: "coins.500", type: .consumable, grants: ["coins": 500])
    private static let lamp = Product(id: "lamp", type: .nonConsumable)
    private static let catalog = Catalog(products: [coins, lamp], groups: [], features: [])
    private static let lease = Duration.milliseconds(1_500)

    /// The deliveries of the nodes' apps, each with the name of its node.
    private let handedOut = Journal()

    private actor Journal {
        private(set) var lines: [String] = []
        func recordNote(_ line: String) { lines.append(line) }
    }

    private func pool(_ node: String, _ vault: any TransactionalVault, lease: Duration = lease) -> StorePool {
        var configuration = StoreConfiguration(catalog: Self.catalog)
        configuration.backoff = Backoff(first: .milliseconds(50), longest: .milliseconds(100))
        return StorePool(
            configuration: StorePool.Configuration(
                store: configuration, readsHistories: false, wakeLease: WakeLease(node: node, duration: lease)),
            vault: vault, verifier: DraftVerifier(),
            deliver: { [handedOut] delivery in
                await handedOut.recordNote("\(node) \(delivery.transaction.id)")
                try await Task.sleep(for: .milliseconds(50))
            })
    }

    /// Runs pools while a body runs.
    private func running(_ pools: [StorePool], _ body: () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for pool in pools { group.addTask { try await pool.run() } }
            try await body()
            group.cancelAll()
            while let result = await group.nextResult() {
                if case .failure(let error) = result, !(error is CancellationError) { throw error }
            }
        }
    }

    private func eventually(_ what: String, _ holds: () async throws -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(60)
        while try await !holds() {
            try #require(ContinuousClock.now < end, "in time: \(what)")
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    private func purchase(_ id: Int) -> String {
        TransactionDraft.purchase(of: Self.coins, at: .day(1), id: Transaction.ID(rawValue: "\(id)")).fakeJWS
    }

    @Test(
        "Writes of one node reach stores in memory and readers of events on the other nodes",
        arguments: [PostgresVault.ChangeDetection.notified, .polled(every: .milliseconds(20))])
    func changeDetection(_ changeDetection: PostgresVault.ChangeDetection) async throws {
        let database = try await TestDatabase.make()
        let options = PostgresVault.Options(connections: 3, changeDetection: changeDetection)
        let (vaultA, vaultB) = (
            try await PostgresVault(database, options: options), try await PostgresVault(database, options: options)
        )
        defer {
            vaultA.close()
            vaultB.close()
        }
        let (a, b) = (pool("a", vaultA, lease: .seconds(60)), pool("b", vaultB, lease: .seconds(60)))
        try await running([a, b]) {
            let lease = try await b.lease("anna")
            let store = lease.store
            #expect(store.balance(of: "coins").amount == 0)
            _ = try await a.withStore("anna") { [text = purchase(1)] in try await $0.ingest([text]) }
            try await eventually("the other node knows") { store.balance(of: "coins").amount == 500 }
            async let event = b.events().first { _ in true }
            let lamp = TransactionDraft.purchase(of: Self.lamp, at: .day(1), id: "2").fakeJWS
            _ = try await a.withStore("ben") { try await $0.ingest([lamp]) }
            #expect(try await event?.customer == "ben")
            try await eventually("both are handed out") { await handedOut.lines.count >= 2 }
        }
        // Only the node that wrote a purchase delivered it.
        #expect(await handedOut.lines == ["a 1", "a 2"])
    }

    @Test("A node whose listening connection is cut reconnects, and looks up what it missed")
    func cut() async throws {
        let database = try await TestDatabase.make()
        let options = PostgresVault.Options(connections: 3)
        let (vaultA, vaultB) = (
            try await PostgresVault(database, options: options), try await PostgresVault(database, options: options)
        )
        defer {
            vaultA.close()
            vaultB.close()
        }
        let (a, b) = (pool("a", vaultA), pool("b", vaultB))
        try await running([b]) {
            let lease = try await b.lease("anna")
            let store = lease.store
            for number in 1...3 {
                // The statement ends the connection that listens for changes, which is used for no other purpose.
                try await TestDatabase.run(
                    """
                    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                    WHERE query LIKE 'LISTEN%' AND datname = current_database()
                    """, in: database)
                _ = try await a.withStore("anna") { [text = purchase(number)] in try await $0.ingest([text]) }
                try await eventually("the other node knows") {
                    store.balance(of: "coins").amount == 500 * Int64(number)
                }
            }
        }
    }

    @Test(
        "A node that the server does not answer gives no answer from memory, and catches up before it does so again",
        .enabled(if: ServerPrograms.areInstalled, "no PostgreSQL server is installed"))
    func silentServer() async throws {
        let server = try await PostgresServer.shared.value
        let database = try await server.makeVault()
        let proxy = try WireProxy(to: server)
        let vaultA = try await PostgresVault(database, options: .init(connections: 3))
        let vaultB = try await PostgresVault(
            proxy.address(of: database), options: .init(connections: 3, timeout: .seconds(1)))
        defer {
            vaultA.close()
            vaultB.close()
        }
        let (a, b) = (pool("a", vaultA), pool("b", vaultB))
        try await running([b]) {
            #expect(try await b.snapshot(of: "anna").balance(of: "coins").amount == 0)
            try await eventually("the node listens") { b.subscribedSince != nil }
            let gate = Gate()
            proxy.decide { _ in .wait(gate) }
            _ = try await a.withStore("anna") { [text = purchase(1)] in try await $0.ingest([text]) }
            try await eventually("the node knows that it hears nothing") { b.excessiveAge != nil }
            await #expect(throws: VaultError.self) { try await b.snapshot(of: "anna") }
            proxy.decide { _ in .pass }
            gate.open()
            try await eventually("the node hears the others again") {
                // Until then, an answer is right or missing.
                if let snapshot = try? await b.snapshot(of: "anna") {
                    #expect(snapshot.balance(of: "coins").amount == 500)
                }
                return b.excessiveAge == nil
            }
            #expect(try await b.snapshot(of: "anna").balance(of: "coins").amount == 500)
        }
    }

    @Test("Deliveries that a dead node owed are made by exactly one other node, after the lease has ended")
    func deliveries() async throws {
        let database = try await TestDatabase.make()
        var vaults: [PostgresVault] = []
        for _ in 0..<4 { vaults.append(try await PostgresVault(database, options: .init(connections: 3))) }
        defer { for vault in vaults { vault.close() } }
        // A node writes a purchase, takes the delivery lease, and then does nothing more, as if it had been killed.
        let rule = LedgerRule(catalog: Self.catalog)
        let fact = try TransactionDraft.purchase(of: Self.coins, at: .day(1), id: "1").verifiedFact()
        _ = try await vaults[3].commit(
            CommitBatch(customer: "anna", at: .day(1), facts: [fact], rule: rule, owesDelivery: true))
        let dead = WakeLease(node: "dead", duration: Self.lease)
        let begin = WallClock().now
        #expect(try await vaults[3].leaseDeliveries(of: "anna", dead, at: begin) == nil)
        let pools = ["a", "b", "c"].enumerated().map { pool($1, vaults[$0]) }
        try await running(pools) {
            try await eventually("it is handed out") { try await vaults[0].customersOwed(after: nil, limit: 1).isEmpty }
            #expect(WallClock().now >= begin.adding(milliseconds: 1_500))
            // After this time, each pool has looked for deliveries once more.
            try await Task.sleep(for: .milliseconds(300))
        }
        let lines = await handedOut.lines
        #expect(lines.count == 1, "\(lines)")
    }

    @Test("One node at a time holds a delivery lease, until it releases it, the lease ends, or its end is implausible")
    func leases() async throws {
        let vault = try await PostgresVault(try await TestDatabase.make(), options: .init(connections: 3))
        defer { vault.close() }
        _ = try await vault.move(
            [.grant(1, of: "coins", to: "anna", because: "x", key: "1", at: .day(1))], policy: .debt)
        let (a, b) = (WakeLease(node: "a"), WakeLease(node: "b"))
        let (now, end) = (Instant.day(2), Instant.day(2).adding(milliseconds: 60_000))
        #expect(try await vault.leaseDeliveries(of: "anna", a, at: now) == nil)
        #expect(try await vault.leaseDeliveries(of: "anna", a, at: now) == nil)
        #expect(try await vault.leaseDeliveries(of: "anna", b, at: now) == end)
        #expect(try await vault.leaseDeliveries(of: "anna", b, at: end) == nil)
        try await vault.endDeliveries(of: "anna", a)
        #expect(try await vault.leaseDeliveries(of: "anna", a, at: end) != nil)
        try await vault.endDeliveries(of: "anna", b)
        #expect(try await vault.leaseDeliveries(of: "anna", a, at: end) == nil)
        // A lease from a clock that was days ahead does not block others.
        #expect(try await vault.leaseDeliveries(of: "anna", a, at: .day(9)) == nil)
        #expect(try await vault.leaseDeliveries(of: "anna", b, at: now) == nil)
    }

    @Test("The messages between nodes are read back as written, and fit the server's size limit for notifications")
    func texts() throws {
        let node = NodeNotification.randomNode()
        for count in [0, 1, 367, 368, 369, 1_000] {
            let customers = Set((0..<count).map { RowID.of(CustomerID(rawValue: "customer \($0)")) })
            let texts = NodeNotification(node: node, customers: customers).texts
            #expect(texts.allSatisfy { $0.utf8.count < 8_000 })
            let read = texts.compactMap { NodeNotification($0) }
            #expect(read.count == texts.count && read.allSatisfy { $0.node == node })
            #expect(read.reduce(into: Set()) { $0.formUnion($1.customers) } == customers)
        }
        for text in ["", "?", "AAAA", "AAAAAAAAAAAAAAAA"] { #expect(NodeNotification(text) == nil) }
    }
}
