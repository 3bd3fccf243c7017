import Foundation
import Storekeeper
import StorekeeperTesting
import Synchronization
import Testing

@testable import StorekeeperPostgres

/// Tests with readers that continue from a place, and writers that leave their transactions open for a while.
@Suite(
    "The order of the feed", .serialized, .proof,
    .enabled(if: ServerPrograms.areInstalled, "no PostgreSQL server is installed"))
struct FeedOrderTests {
    private static let limit = Duration.seconds(60)

    private static func gift(_ key: LedgerRequest.Key, to customer: CustomerID) -> LedgerRequest {
        .grant(1, of: "coins", to: customer, because: "x", key: key, at: .day(1))
    }

    @Test("Writers wait for one that is about to commit, so that readers of the feed miss nothing")
    func overtaking() async throws {
        let server = try await PostgresServer.shared.value
        let database = try await server.makeVault()
        let proxy = try WireProxy(to: server)
        let slow = try await PostgresVault(
            proxy.address(of: database), options: .init(connections: 3, timeout: Self.limit))
        let quick = try await PostgresVault(database, options: .init(connections: 5, timeout: Self.limit))
        let gate = Gate()
        proxy.decide { message in message.executes("COMMIT") ? .wait(gate) : .pass }
        async let first = slow.move([Self.gift("first", to: "anna")], policy: .debt)
        try await eventually("the first is about to commit") { gate.count > 0 }
        let isDone = Flag()
        let second = Task {
            defer { isDone.set() }
            return try await quick.move([Self.gift("second", to: "ben")], policy: .debt)
        }
        let name = URLComponents(string: database)?.path.dropFirst() ?? ""
        let waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = '\(name)'"
        try await eventually("the second waits for the first, or is done") {
            if isDone.isSet { return true }
            return try await server.number(waiting) ?? 0 > 0
        }
        let early = try await quick.entries(after: .start, of: nil, limit: 9)
        #expect(early.isEmpty && !isDone.isSet)
        gate.open()
        _ = try await (first, second.value)
        let places = try await quick.entries(after: early.last?.place ?? .start, of: nil, limit: 9)
        #expect(places.map(\.customer) == ["anna", "ben"])
        slow.close()
        quick.close()
    }

    /// Shows, as a control, that a reader of a plain sequence misses a row in the same case.
    @Test("A reader of a plain sequence misses a row that is committed late")
    func sequence() async throws {
        let server = try await PostgresServer.shared.value
        let database = try await server.makeVault()
        let proxy = try WireProxy(to: server)
        try await server.run("CREATE TABLE plain(id bigserial, name text)", on: database)
        let gate = Gate()
        proxy.decide { message in message.executes("COMMIT") ? .wait(gate) : .pass }
        let insert = Statement("INSERT INTO plain(name) VALUES($1)")
        let (far, near) = (
            try ConnectionSettings(proxy.address(of: database)), try ConnectionSettings(database)
        )
        async let first: Void = offThread {
            _ = try Connection(far).run(
                [Call(.begin), Call(insert, [.text("first")]), Call(.commit)], within: Self.limit)
        }
        try await eventually("the first is about to commit") { gate.count > 0 }
        var (cursor, seen): (Int64, [String]) = (0, [])
        func read() async throws {
            let rows = try await offThread { [cursor] in
                try Connection(near).run(
                    Statement("SELECT id, name FROM plain WHERE id > $1 ORDER BY id"), [.int(cursor)],
                    within: Self.limit
                ).map { row throws(PostgresFailure) in (try row.int(), try row.text()) }
            }
            seen += rows.map(\.1)
            cursor = rows.last?.0 ?? cursor
        }
        try await offThread {
            _ = try Connection(near).run(
                [Call(.begin), Call(insert, [.text("second")]), Call(.commit)], within: Self.limit)
        }
        try await read()
        gate.open()
        try await first
        try await read()
        #expect(seen == ["second"])
    }

    @Test("Readers of entries, events and facts miss nothing while several nodes delay their commits")
    func readers() async throws {
        let server = try await PostgresServer.shared.value
        let database = try await server.makeVault()
        let proxy = try WireProxy(to: server)
        let seed = TestCounts.seed ?? .random(in: .min ... .max)
        let chance = Mutex(SplitMix64(seed: seed))
        proxy.decide { message in
            guard message.executes("COMMIT") else { return .pass }
            return chance.withLock { $0.chance(50) ? .delay(UInt32($0.number(in: 1...12))) : .pass }
        }
        let options = PostgresVault.Options(connections: 4, timeout: Self.limit)
        var nodes: [PostgresVault] = []
        for _ in 0..<3 {
            nodes.append(try await PostgresVault(proxy.address(of: database), options: options))
        }
        let direct = try await PostgresVault(database, options: options)
        let isDone = Flag()
        async let entries = Self.read(until: isDone) { place in
            try await direct.entries(after: place, of: nil, limit: 5).map { ($0.place, "\($0.customer) \($0.number)") }
        }
        async let events = Self.read(until: isDone) { place in
            try await direct.events(after: place, of: nil, limit: 5).map { ($0.place, "\($0.change.subject)") }
        }
        async let facts = Self.read(until: isDone) { place in
            try await direct.facts(after: place, of: nil, limit: 5).map { ($0.place, $0.fact.jws.compact) }
        }
        let total = 72
        try await withThrowingTaskGroup(of: Void.self) { [nodes] group in
            for lane in 0..<9 {
                group.addTask {
                    for number in 0..<(total / 9) {
                        let name = "\(lane).\(number)"
                        let customer = CustomerID(rawValue: "customer \(lane % 5)")
                        let draft = TransactionDraft.purchase(
                            of: "badge", at: .day(1), id: Transaction.ID(rawValue: name))
                        let node = nodes[lane % nodes.count]
                        _ = try await node.commit(
                            CommitBatch(
                                customer: customer, at: .day(2), facts: [try draft.verifiedFact()],
                                events: [
                                    StoreEvent.Change(
                                        at: .day(2), subject: .product(Product.ID(name)),
                                        before: StoreEvent.Answer(word: "never", reason: "never"),
                                        after: StoreEvent.Answer(word: "entitled", reason: "active"))
                                ]))
                        _ = try await node.move([Self.gift(LedgerRequest.Key(name), to: customer)], policy: .debt)
                    }
                }
            }
            try await group.waitForAll()
        }
        isDone.set()
        for seen in try await [entries, events, facts] {
            #expect(seen.count == total && Set(seen).count == total, "seed \(seed)")
        }
        #expect(try await direct.checkIntegrity().faults == [])
        for vault in nodes + [direct] { vault.close() }
    }

    /// Reads page after page until all rows are written and read, and returns the rows.
    private static func read(
        until isDone: Flag, _ page: (FeedPlace) async throws -> [(FeedPlace, String)]
    ) async throws -> [String] {
        var (place, seen) = (FeedPlace.start, [String]())
        while true {
            let ends = isDone.isSet
            let rows = try await page(place)
            seen += rows.map(\.1)
            place = rows.last?.0 ?? place
            if rows.isEmpty {
                if ends { return seen }
                try await Task.sleep(for: .milliseconds(1))
            }
        }
    }
}
