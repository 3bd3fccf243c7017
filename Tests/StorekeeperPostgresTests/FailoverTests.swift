import Storekeeper
import StorekeeperPostgres
import StorekeeperTesting
import Testing

/// Tests in which a primary server is lost and a standby replaces it.
@Suite(
    "Failover to a standby", .serialized, .proof,
    .enabled(if: ServerPrograms.areInstalled, "no PostgreSQL server is installed"))
struct FailoverTests {
    @Test("A failover to a synchronous standby neither loses nor duplicates acknowledged steps")
    func synchronous() async throws {
        let failovers = TestCounts.failovers ?? 1
        let seed = TestCounts.seed ?? .random(in: .min ... .max)
        var random = SplitMix64(seed: seed)
        var primary = try await PostgresServer.make()
        try await PostgresVault(primary.address, options: .init(connections: 1)).close()
        var journals: [NodeJournal] = []
        for failover in 0..<failovers {
            let comment: Comment = "seed \(seed), failover \(failover)"
            let standby = try await primary.makeStandby()
            try await primary.alter("synchronous_standby_names", to: "*")
            try await eventually("the standby is synchronous") {
                try await primary.number("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") == 1
            }
            let nodes = try Self.startNodes([primary, standby], &random)
            journals += nodes.map(\.journal)
            try await ServerKillTests.waitForWork(of: nodes, comment)
            try await Task.sleep(for: .milliseconds(random.number(in: 1...500)))
            let lost = primary
            try await offThread {
                lost.kill()
                try standby.promote()
            }
            try await ServerKillTests.waitForWork(of: nodes, comment)
            for node in nodes { node.kill() }
            try await standby.quiesce(standby.address)
            let check = try await Self.check(journals, standby)
            #expect(check.findings == [], comment)
            #expect(check.lost == 0, comment)
            lost.remove()
            primary = standby
        }
    }

    /// Shows, as a control, that the check in the test above finds a loss if there is one.
    @Test("A failover to a disconnected standby loses acknowledged steps, and the vault stays consistent")
    func cutOff() async throws {
        let seed = TestCounts.seed ?? .random(in: .min ... .max)
        var random = SplitMix64(seed: seed)
        let primary = try await PostgresServer.make()
        try await PostgresVault(primary.address, options: .init(connections: 1)).close()
        let standby = try await primary.makeStandby()
        try await standby.alter("primary_conninfo", to: "")
        try await eventually("the standby is cut off") {
            try await primary.number("SELECT count(*) FROM pg_stat_replication") == 0
        }
        let nodes = try Self.startNodes([primary, standby], &random)
        try await ServerKillTests.waitForWork(of: nodes, "seed \(seed)")
        try await offThread {
            primary.kill()
            try standby.promote()
        }
        // The nodes keep running, and still have in memory the rows that are lost.
        for _ in 0..<3 { try await ServerKillTests.waitForWork(of: nodes, "seed \(seed)") }
        for node in nodes { node.kill() }
        try await standby.quiesce(standby.address)
        let check = try await Self.check(nodes.map(\.journal), standby)
        #expect(check.lost > 0, "seed \(seed)")
        #expect(check.faults == [], "seed \(seed)")
    }

    @Test("A stream of events ends if the standby that is promoted lacks events, and skips none")
    func stream() async throws {
        let lamp = Product(id: "lamp", type: .nonConsumable)
        let primary = try await PostgresServer.make()
        try await PostgresVault(primary.address, options: .init(connections: 1)).close()
        let standby = try await primary.makeStandby()
        let vault = try await PostgresVault(
            PostgresServer.address(of: [primary, standby]),
            options: .init(connections: 3, timeout: .seconds(5), patience: .seconds(5)))
        defer { vault.close() }
        let configuration = StoreConfiguration(catalog: Catalog(products: [lamp], groups: [], features: []))
        let pool = StorePool(
            configuration: .init(store: configuration, readsHistories: false), vault: vault, verifier: DraftVerifier())
        // Each purchase makes one event.
        func buy(_ number: Int) async throws {
            let text = TransactionDraft.purchase(of: lamp, at: .day(1), id: Transaction.ID(rawValue: "\(number)"))
                .fakeJWS
            _ = try await pool.withStore(CustomerID(rawValue: "customer-\(number)")) { try await $0.ingest([text]) }
        }
        let running = Task { try await pool.run() }
        defer { running.cancel() }
        try await buy(1)
        try await eventually("the standby has the first event") {
            try await standby.number("SELECT count(*) FROM storekeeper.event") == 1
        }
        try await standby.alter("primary_conninfo", to: "")
        try await eventually("the standby is cut off") {
            try await primary.number("SELECT count(*) FROM pg_stat_replication") == 0
        }
        for number in 2...4 { try await buy(number) }
        var iterator = pool.events().makeAsyncIterator()
        for number in 1...4 {
            #expect(try await iterator.next()?.customer == CustomerID(rawValue: "customer-\(number)"))
        }
        try await offThread {
            primary.kill()
            try standby.promote()
        }
        // The standby assigns the places of the lost events again.
        for number in 5...6 {
            try await eventually("the promoted server accepts writes") { (try? await buy(number)) != nil }
        }
        while true {
            do {
                let event = try await iterator.next()
                Issue.record("the stream goes on with \(event.map { $0.customer.rawValue } ?? "nothing")")
                break
            } catch let error as VaultError {
                if error.code == .feedReplaced { break }
            }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    private static func startNodes(
        _ servers: [PostgresServer], _ random: inout SplitMix64
    ) throws -> [NodeProcess] {
        let database = PostgresServer.address(of: servers)
        return try (0..<2).map { _ in
            try NodeProcess(["write", "\(random.next())", "3000"], on: database, journal: NodeJournal())
        }
    }

    private static func check(_ journals: [NodeJournal], _ server: PostgresServer) async throws -> JournalCheck {
        let vault = try await PostgresVault(server.address, options: .init(connections: 2))
        defer { vault.close() }
        return try await JournalCheck(journals, vault)
    }
}
