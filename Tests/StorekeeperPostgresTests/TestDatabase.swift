import Foundation
import Synchronization

@testable import StorekeeperPostgres

/// Databases of one's own on the server of the tests.
enum TestDatabase {
    /// The connection string of the server's owner; `nil`: there is none, and tests that need it are left out.
    static let server = ProcessInfo.processInfo.environment["STOREKEEPER_POSTGRES"]
    private static let number = Atomic<Int>(0)

    /// Makes an empty database, and says how to come to it.
    static func make() async throws -> String {
        guard let server, var address = URLComponents(string: server) else {
            throw PostgresFailure(.badSettings, "STOREKEEPER_POSTGRES names no server")
        }
        let name = "test_\(ProcessInfo.processInfo.processIdentifier)_\(number.add(1, ordering: .relaxed).newValue)"
        let pool = ConnectionPool(try ConnectionSettings(server), size: 1)
        defer { pool.close() }
        try await pool.run { connection throws(PostgresFailure) in
            _ = try connection.run(Statement("CREATE DATABASE \(name)"), within: .seconds(30))
        }
        address.path = "/" + name
        return address.string ?? server
    }
}
