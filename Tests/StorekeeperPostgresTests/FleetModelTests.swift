import Foundation
import Storekeeper
import StorekeeperPostgres
import StorekeeperTesting
import Testing

@testable import FleetNode

/// Tests that compare four processes on one database with a model that carries out the same commands.
@Suite(
    "Four nodes compared with a model", .serialized, .proof,
    .enabled(if: ServerPrograms.areInstalled, "no PostgreSQL server is installed"))
struct FleetModelTests {
    @Test("Four nodes that write at the same time give the results of one vault in the order of the feed")
    func commands() async throws {
        let seed = TestCounts.seed ?? .random(in: .min ... .max)
        let each = max(1, (TestCounts.commands ?? 1_000) / 4)
        let server = try await PostgresServer.shared.value
        let database = try await server.makeVault()
        let deadlocks = server.words.components(separatedBy: "deadlock detected").count
        let beginning = try await PostgresVault(database, options: .init(connections: 2))
        for command in FleetWorld.beginnings { _ = try await FleetVault(beginning).carryOut(command) }
        beginning.close()
        let nodes = try (0..<4).map { number in
            try NodeProcess(["command", "\(seed)", "\(number)", "\(each)"], on: database, journal: NodeJournal())
        }
        while nodes.contains(where: \.isRunning) { try await Task.sleep(for: .milliseconds(50)) }
        #expect(nodes.map(\.status) == [0, 0, 0, 0], "seed \(seed) \(nodes.map(\.words))")
        let vault = try await PostgresVault(database, options: .init(connections: 3))
        defer { vault.close() }
        let replay = try await FleetReplay(nodes.map(\.journal), vault)
        #expect(replay.findings.prefix(20) == [], "seed \(seed)")
        #expect(replay.count > each, "seed \(seed)")
        #expect(try await vault.checkIntegrity().faults == [], "seed \(seed)")
        // All nodes lock customers in the same order, so that no deadlock is possible.
        #expect(server.words.components(separatedBy: "deadlock detected").count == deadlocks, "seed \(seed)")
    }
}
