import StorekeeperPostgres
import StorekeeperTesting
import Testing

/// Tests with processes that write to one database and are killed at random instants.
@Suite(
    "Nodes that are killed", .serialized, .proof,
    .enabled(if: ServerPrograms.areInstalled, "no PostgreSQL server is installed"))
struct NodeKillTests {
    @Test("Nodes killed at any instant neither lose nor duplicate acknowledged steps")
    func kills() async throws {
        let kills = TestCounts.kills ?? 6
        let seed = TestCounts.seed ?? .random(in: .min ... .max)
        var random = SplitMix64(seed: seed)
        let server = try await PostgresServer.shared.value
        var (database, journals, acknowledged) = ("", [NodeJournal](), 0)
        for kill in 0..<kills {
            // After every twenty kills there is a new vault, so that short histories are also tested.
            if kill % 20 == 0 {
                database = try await server.makeVault()
                journals = []
            }
            let nodes = try (0..<2).map { _ in
                try NodeProcess(["write", "\(random.next())"], on: database, journal: NodeJournal())
            }
            journals += nodes.map(\.journal)
            for (number, node) in nodes.enumerated() {
                // The loop waits until the first node is about to write, and until the second node has had a write
                // acknowledged.
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
        // The nodes must have written between the kills. If they had not, the test would prove nothing.
        #expect(acknowledged > kills, "only \(acknowledged) acknowledgements in \(kills) runs, seed \(seed)")
    }
}
