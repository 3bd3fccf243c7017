import Foundation
import StorekeeperTesting

@testable import StorekeeperPostgres

/// Two nodes on one database, a quick node and a slow node.
///
/// A test can hold back the messages of the slow node.
struct NodePair {
    let server: PostgresServer
    let database: String
    let proxy: WireProxy
    let slow: PostgresVault
    let quick: PostgresVault

    init(patience: Duration = .seconds(60)) async throws {
        server = try await PostgresServer.shared.value
        database = try await server.makeVault()
        proxy = try WireProxy(to: server)
        slow = try await PostgresVault(
            proxy.address(of: database), options: .init(connections: 3, timeout: patience))
        quick = try await PostgresVault(database, options: .init(connections: 3, timeout: .seconds(60)))
    }

    func close() {
        slow.close()
        quick.close()
    }

    /// Holds the slow node back before its first message with a given statement.
    ///
    /// - Parameter words: A part of the statement.
    func hold(before words: String) -> Gate {
        let (gate, wasMet) = (Gate(), Flag())
        proxy.decide { message in
            guard message.sql?.contains(words) == true, wasMet.set() else { return .pass }
            return .wait(gate)
        }
        return gate
    }

    /// Waits until the slow node is held back.
    func held(_ gate: Gate) async throws {
        try await eventually("the slow node is held back") { gate.count > 0 }
    }

    /// Waits until a step is done, or until it waits for a lock.
    func settled(_ isDone: Flag) async throws {
        let name = URLComponents(string: database)?.path.dropFirst() ?? ""
        let waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = '\(name)'"
        try await eventually("the quick node is done, or waits") {
            if isDone.isSet { return true }
            return try await server.number(waiting) ?? 0 > 0
        }
    }
}
