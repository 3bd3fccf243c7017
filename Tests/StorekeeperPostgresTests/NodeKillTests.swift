import StorekeeperPostgres
import StorekeeperTesting
import Testing

/// Real processes that write to one database, killed at random instants.
@Suite(
    "Nodes that are killed", .serialized,
    .enabled(if: ServerPrograms.areInstalled, "no PostgreSQL server is installed"))
struct NodeKillTests {
    @Test("Killed at any instant, nothing that was acknowledged is lost and nothing is there twice")
    func kills() async throws {
        let kills = TestCounts.kills ?? 6
        let seed = TestCounts.seed ?? .random(in: .min ... .max)
        var random = SplitMix64(seed: seed)
        let server = try await PostgresServer.shared.value
        var (database, journals, acknowledged) = ("", [Journaled](), 0)
        for kill in 0..<kills {
            // A new vault now and then, so that beginnings are met as often as long histories.
            if kill % 20 == 0 {
                database = try await server.makeVault()
                journals = []
            }
            let nodes = try (0..<2).map { _ in
                try NodeProcess(["write", "\(random.next())"], on: database, journal: Journaled())
            }
            journals += nodes.map(\.journal)
            for (number, node) in nodes.enumerated() {
                // One as soon as it is about to write, the other as soon as it has written.
                try await eventually("a node writes") {
                    try number == 0 ? node.journal.size > 0 : node.journal.acknowledged() > 0
                }
                try await Task.sleep(for: .milliseconds(random.number(in: 1...120)))
                #expect(node.isRunning, "a node has ended by itself: \(node.words)")
                node.kill()
            }
            try await server.quiesce(database)
            let vault = try await PostgresVault(database, options: .init(connections: 2))
            let check = try await JournalCheck(journals, vault)
            vault.close()
            #expect(check.findings == [], "seed \(seed), kill \(kill)")
            acknowledged += try journals.suffix(2).reduce(0) { try $0 + $1.acknowledged() }
        }
        // A test in which nothing happens between the kills proves nothing.
        #expect(acknowledged > kills, "only \(acknowledged) acknowledgements in \(kills) runs, seed \(seed)")
    }
}
