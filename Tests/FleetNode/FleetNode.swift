import Foundation
import Storekeeper
import StorekeeperPostgres
import StorekeeperTesting

/// A program that is one node of a fleet on one database, and that a test may kill at any time.
///
///     FleetNode write DATABASE JOURNAL SEED [PATIENCE]
///     FleetNode command DATABASE JOURNAL SEED NODE COUNT
///
/// `write` changes balances and commits evidence without end, and continues after failures of the database. Before each
/// action, and after each answer, it appends a line to the file JOURNAL, which a test reads after it has killed the
/// program. PATIENCE is the timeout of a round trip in milliseconds. `command` carries out COUNT random commands, which
/// the tests compare with a model.
///
/// After five minutes (half an hour for `command`) the program ends by itself.
@main
struct FleetNode {
    static func main() async throws {
        let words = Array(CommandLine.arguments.dropFirst())
        guard words.count >= 4, let seed = UInt64(words[3]) else {
            throw NodeError("usage: FleetNode write|command DATABASE JOURNAL SEED …")
        }
        let journal = try Journal(path: words[2])
        switch words[0] {
        case "write":
            // The test that should kill this process may have ended before it did so.
            alarm(300)
            let patience = words.count > 4 ? Int64(words[4]) ?? 10_000 : 10_000
            try await write(to: words[1], journal, seed: seed, patience: .milliseconds(patience))
        case "command":
            guard words.count == 6, let node = Int(words[4]), let count = Int(words[5]) else {
                throw NodeError("usage: FleetNode command DATABASE JOURNAL SEED NODE COUNT")
            }
            alarm(1_800)
            try await CommandRunner(try await open(words[1]), journal, node: node, count: count).run(seed: seed)
        default: throw NodeError("unknown: \(words[0])")
        }
    }

    /// Opens the vault, and retries while the database is unreachable.
    private static func open(
        _ database: String, _ options: PostgresVault.Options = .init()
    ) async throws -> PostgresVault {
        var options = options
        options.makesSchema = false
        while true {
            do throws(VaultError) {
                return try await PostgresVault(database, options: options)
            } catch {
                guard [.io, .readOnly, .locked, .full].contains(error.code) else { throw error }
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    private static func write(
        to database: String, _ journal: Journal, seed: UInt64, patience: Duration
    ) async throws {
        let vault = try await open(database, .init(connections: 6, timeout: patience))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, customer) in Evidence.customers.enumerated() {
                // Two tasks for each customer, so that one durable write contains steps of the same customer and of
                // several customers.
                for half in 0..<2 {
                    let writer = Writer(
                        vault: vault, customer: customer, name: "\(String(seed, radix: 36))-\(number)-\(half)",
                        journal: journal, patience: patience)
                    let start = SplitMix64(seed: seed &* 31 &+ UInt64(number * 2 + half))
                    group.addTask { try await writer.run(start) }
                }
            }
            try await group.waitForAll()
        }
    }
}

/// An error that ends a node.
struct NodeError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
