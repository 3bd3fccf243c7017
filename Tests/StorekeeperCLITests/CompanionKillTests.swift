import Foundation
import NIOHTTP1
import Storekeeper
import StorekeeperTesting
import Synchronization
import Testing

@testable import StorekeeperPostgres

/// Tests that kill the companion service while it answers requests.
@Suite("Kills of the companion service", .proof, .serialized, .timeLimit(.minutes(60))) struct CompanionKillTests {
    private static let kills = ProcessInfo.processInfo.environment["STOREKEEPER_KILLS"].flatMap(Int.init) ?? 3

    @Test("One process with a file stores each acknowledged write once, whenever it is killed") func alone()
        async throws
    {
        try await Self.kill(nodes: 1, vault: nil)
    }

    @Test(
        "Three processes with one database store each acknowledged write once, in one order of events",
        .enabled(if: ServerDatabase.server != nil, "STOREKEEPER_POSTGRES is not set"))
    func fleet() async throws {
        let database = try ServerDatabase()
        try await Self.kill(nodes: 3, vault: database.address)
    }

    @Test(
        "Three processes behind nginx lose no request while one of them is down",
        .enabled(if: ServerDatabase.server != nil, "STOREKEEPER_POSTGRES is not set"),
        .enabled(if: Proxy.program != nil, "nginx is not installed"))
    func proxied() async throws {
        let database = try ServerDatabase()
        try await Self.kill(nodes: 3, vault: database.address, isProxied: true)
    }

    @Test(
        "Three processes are replaced one by one after a schema migration",
        .enabled(if: ServerDatabase.server != nil, "STOREKEEPER_POSTGRES is not set"))
    func upgraded() async throws {
        let database = try ServerDatabase()
        let newer =
            Schema.steps + [
                SchemaStep(
                    [
                        "ALTER TABLE storekeeper.ledger ADD COLUMN note text",
                        "ALTER TABLE storekeeper.customer ADD COLUMN tier bigint NOT NULL DEFAULT 0",
                        "CREATE TABLE storekeeper.extra(id integer PRIMARY KEY)",
                    ], oldest: Schema.version)
            ]
        try await Self.kill(nodes: 3, vault: database.address, by: SIGTERM) {
            try await SchemaCreator(
                pool: ConnectionPool(try ConnectionSettings(database.address), size: 1), steps: newer,
                limit: .seconds(120), lockPatience: .milliseconds(500)
            ).make()
            #expect(
                try database.numbers("SELECT version FROM storekeeper.schema_version") == [Int64(Schema.version + 1)])
        }
    }

    @Test(
        "A process ends within the time of its unit after SIGTERM, although its database hangs",
        .enabled(if: ServerDatabase.server != nil, "STOREKEEPER_POSTGRES is not set"))
    func hangingDatabase() async throws {
        let database = try ServerDatabase()
        let folder = try await CompanionFolder(customers: 1)
        try folder.makeVault(["--vault", database.address])
        let served = try ServedProcess(
            serving: ["--port", "0", "--vault", database.address], in: folder.folder)
        let holder = try Connection(ConnectionSettings(database.address))
        _ = try holder.run([Call(.begin), Call(Statement("LOCK TABLE storekeeper.customer"))], within: .seconds(30))
        let url = served.url + "/v1/customers/anna/balances/coins/grant"
        async let answer = folder.ask(.POST, url, body: #"{"quantity":1,"reason":"a gift"}"#, idempotencyKey: "k")
        try await Task.sleep(for: .seconds(2))
        let start = ContinuousClock.now
        // The limit is that of Deployment/storekeeper.service.
        #expect(served.end(SIGTERM) == 69)
        #expect(ContinuousClock.now - start < .seconds(30))
        _ = try? await answer
        holder.close()
    }

    /// Ends the nodes in turn while they answer requests, and checks the result.
    ///
    /// - Parameter change: Runs during the requests, before the first node is ended.
    private static func kill(
        nodes count: Int, vault: String?, isProxied: Bool = false, by signal: Int32 = SIGKILL,
        after change: () async throws -> Void = {}
    ) async throws {
        let seed = PropertySettings.environment.seed ?? .random(in: .min ... .max)
        var random = SplitMix64(seed: seed)
        let folder = try await CompanionFolder(customers: 6)
        let options = vault.map { ["--vault", $0] } ?? []
        if !options.isEmpty { try folder.makeVault(options) }
        func serve(_ port: String) throws -> ServedProcess {
            try ServedProcess(serving: ["--port", port] + options, in: folder.folder)
        }
        var nodes: [ServedProcess] = []
        // The nodes start one after another, because the first node makes the vault.
        for _ in 0..<count { nodes.append(try serve("0")) }
        let urls = nodes.map(\.url)
        let proxy = isProxied ? try await Proxy(before: urls, in: folder.folder) : nil
        defer { proxy?.stop() }
        let load = try CompanionLoad(folder, at: proxy.map { [$0.url] } ?? urls, notifications: 30 + 5 * kills)
        let last = LastEvent()
        try await withThrowingTaskGroup(of: [EventListener.Event].self) { group in
            for node in urls {
                group.addTask { try await EventListener(url: node, key: folder.key).events { last.id } }
            }
            try await withThrowingTaskGroup(of: Void.self) { callers in
                for number in 0..<4 {
                    let seed = random.next()
                    callers.addTask { try await load.call(as: number, seed: seed) }
                }
                while load.count < 5 { try await Task.sleep(for: .milliseconds(10)) }
                try await change()
                for kill in 0..<max(kills, count) {
                    let before = load.count
                    while load.count < before + 5 { try await Task.sleep(for: .milliseconds(10)) }
                    try await Task.sleep(for: .milliseconds(random.number(in: 0...200)))
                    let node = kill % count
                    let port = try #require(URL(string: urls[node])?.port)
                    #expect(nodes[node].end(signal) == (signal == SIGKILL ? SIGKILL : 0))
                    nodes[node] = try serve(String(port))
                }
                while !load.isAllPosted { try await Task.sleep(for: .milliseconds(10)) }
                load.end()
                try await callers.waitForAll()
            }
            // The last event of this node is the event at which the listeners of the other nodes end.
            let all = try await Self.events(of: urls[0], folder)
            last.set(all.last?.id ?? 0)
            #expect(zip(all, all.dropFirst()).allSatisfy { $0.id < $1.id })
            for try await heard in group { #expect(heard == all, "seed \(seed)") }
            #expect(
                load.subscribed.count == folder.customers.count && all.count >= load.subscribed.count, "seed \(seed)")
        }
        for node in nodes { #expect(node.end(SIGTERM) == 0, "seed \(seed)") }
        #expect(load.wrong.isEmpty, "seed \(seed): \(load.wrong.prefix(5))")
        try check(load, in: folder, options, "seed \(seed)")
    }

    /// Checks the final state of the vault, which another program reads.
    private static func check(
        _ load: CompanionLoad, in folder: CompanionFolder, _ options: [String], _ comment: Comment
    ) throws {
        let verified = try Program.run(["vault", "verify"] + options, in: folder.folder)
        #expect(verified.status == 0, "\(comment): \(verified.output)\(verified.errors)")
        let exported = try Program.run(["vault", "export"] + options, in: folder.folder)
        #expect(exported.status == 0, "\(exported.errors)")
        var entries: [String: [CompanionLoad.Move]] = [:]
        var credited: [String: Int] = [:]
        for line in exported.outputLines {
            guard let object = try JSONReader(maximumSize: 1 << 20).read(Array(line.utf8)).root.object,
                object["kind"]?.string == "entry"
            else { continue }
            if let id = object["transactionID"]?.string { credited[id, default: 0] += 1 }
            guard let key = object["key"]?.string else { continue }
            entries[key, default: []].append(
                CompanionLoad.Move(
                    customer: object["customer"]?.string ?? "", change: object["change"]?.int64 ?? 0, receipt: ""))
        }
        for (key, move) in load.moves {
            let found = entries[key] ?? []
            #expect(
                found.count == 1 && found.first?.change == move.change && found.first?.customer == move.customer,
                "\(comment): \(key)")
        }
        // The vault contains no unacknowledged changes, because each caller waits for the answers to all of its
        // requests.
        #expect(entries.count == load.moves.count, "\(comment)")
        #expect(Set(credited.keys) == load.transactions && credited.values.allSatisfy { $0 == 1 }, "\(comment)")
    }

    /// Returns all events that a node sends before a pause.
    private static func events(of url: String, _ folder: CompanionFolder) async throws -> [EventListener.Event] {
        let deadline = ContinuousClock.now + .seconds(3)
        let listener = EventListener(url: url, key: folder.key)
        return try await listener.events { ContinuousClock.now > deadline ? 0 : nil }
    }
}

/// The number of the last event; `nil` until the number is known.
private final class LastEvent: Sendable {
    private let state = Mutex<Int64?>(nil)
    var id: Int64? { state.withLock { $0 } }
    func set(_ id: Int64) { state.withLock { $0 = id } }
}
