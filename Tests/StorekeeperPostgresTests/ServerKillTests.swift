import StorekeeperPostgres
import StorekeeperTesting
import Testing

/// Tests with a server that is killed while nodes write, and then restarted.
@Suite(
    "A server that is killed", .serialized, .proof,
    .enabled(if: ServerPrograms.areInstalled, "no PostgreSQL server is installed"))
struct ServerKillTests {
    @Test("A server killed at any instant neither loses nor duplicates acknowledged steps, and the nodes reconnect")
    func kills() async throws {
        let kills = TestCounts.kills ?? 3
        let seed = TestCounts.seed ?? .random(in: .min ... .max)
        var random = SplitMix64(seed: seed)
        let server = try await PostgresServer.make()
        for start in stride(from: 0, to: kills, by: 20) {
            let database = try await server.makeVault()
            let nodes = try (0..<2).map { _ in
                try NodeProcess(["write", "\(random.next())"], on: database, journal: NodeJournal())
            }
            for kill in start..<min(start + 20, kills) {
                try await Self.waitForWork(of: nodes, "seed \(seed), kill \(kill)")
                try await Task.sleep(for: .milliseconds(random.number(in: 1...150)))
                // Sometimes only one process of the server is killed. The server then ends its other processes and
                // recovers by itself.
                let (isPart, chance) = (random.chance(30), random.next())
                try await offThread {
                    if isPart, server.killOneConnection(chance) { return }
                    server.kill()
                    try server.start()
                }
            }
            try await Self.waitForWork(of: nodes, "seed \(seed), after the last kill")
            for node in nodes { node.kill() }
            try await server.quiesce(database)
            let vault = try await PostgresVault(database, options: .init(connections: 2))
            let check = try await JournalCheck(nodes.map(\.journal), vault)
            vault.close()
            #expect(check.findings == [], "seed \(seed)")
        }
    }

    /// Waits until each node has received another acknowledgement.
    static func waitForWork(of nodes: [NodeProcess], _ comment: Comment) async throws {
        let before = try nodes.map { try $0.journal.acknowledged() }
        for (node, before) in zip(nodes, before) {
            try await eventually("a node continues; \(comment)") {
                #expect(node.isRunning, "a node has ended: \(node.words); \(comment)")
                return try !node.isRunning || node.journal.acknowledged() > before
            }
        }
    }
}
