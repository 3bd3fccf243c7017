import Foundation
import Synchronization

@testable import StorekeeperPostgres

/// An empty database on the test server, which is dropped after the test.
final class ServerDatabase: Sendable {
    /// The connection string of the server's owner; `nil` if there is no server, so that the tests with a server are
    /// skipped.
    static let server = ProcessInfo.processInfo.environment["STOREKEEPER_POSTGRES"]
    private static let number = Atomic<Int>(0)

    /// A password that the server does not require.
    ///
    /// The tests check that no program prints it.
    static let password = "hunter2-and-more"

    private let database: String
    /// The connection string with the password, as an option names it.
    let address: String
    /// The connection string without the password, as commands print it.
    let name: String

    init() throws {
        guard let server = Self.server, var address = URLComponents(string: server) else {
            throw PostgresFailure(.badSettings, "STOREKEEPER_POSTGRES is not set")
        }
        let number = Self.number.add(1, ordering: .relaxed).newValue
        database = "desk_\(ProcessInfo.processInfo.processIdentifier)_\(number)"
        try Self.run("CREATE DATABASE \(database)", at: server)
        address.path = "/" + database
        name = address.string ?? server
        address.password = Self.password
        self.address = address.string ?? server
    }

    deinit {
        guard let server = Self.server else { return }
        try? Self.run("DROP DATABASE \(database) WITH (FORCE)", at: server)
    }

    /// Returns the address with parameters in its query.
    func address(_ query: String) -> String { address + "?" + query }

    /// Returns the address for another user.
    func address(as user: String) -> String {
        address.replacing(/:\/\/[^:]*:/, with: "://\(user):")
    }

    /// Ends all connections to the database, and refuses others, as if the server was away.
    func refuseConnections() throws {
        try Self.run("ALTER DATABASE \(database) WITH ALLOW_CONNECTIONS false", at: Self.server ?? address)
        try Self.run(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(database)'",
            at: Self.server ?? address)
    }

    /// Accepts connections again.
    func acceptConnections() throws {
        try Self.run("ALTER DATABASE \(database) WITH ALLOW_CONNECTIONS true", at: Self.server ?? address)
    }

    /// Runs a statement directly, without the vault.
    func run(_ statement: String) throws { try Self.run(statement, at: address) }

    /// Returns the numbers in the first column of a query.
    func numbers(_ question: String) throws -> [Int64] {
        try Connection(ConnectionSettings(address)).run(Statement(question), within: .seconds(30))
            .map { row throws(PostgresFailure) in try row.int() }
    }

    private static func run(_ statement: String, at address: String) throws {
        _ = try Connection(ConnectionSettings(address)).run(Statement(statement), within: .seconds(60))
    }
}
