import Foundation
import Synchronization

@testable import StorekeeperPostgres

/// Separate databases on the server of the tests.
enum TestDatabase {
    /// The connection string of the server's owner; `nil` if there is no server, so that tests that need a server are
    /// skipped.
    static let server = ProcessInfo.processInfo.environment["STOREKEEPER_POSTGRES"]
    private static let number = Atomic<Int>(0)

    /// Makes an empty database, and returns its connection string.
    static func make() async throws -> String {
        guard let server, var address = URLComponents(string: server) else {
            throw PostgresFailure(.badSettings, "STOREKEEPER_POSTGRES is not set")
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

extension TestDatabase {
    /// Runs a statement directly, without the vault.
    static func run(_ sql: String, in database: String) async throws {
        let pool = ConnectionPool(try ConnectionSettings(database), size: 1)
        defer { pool.close() }
        try await pool.run { connection throws(PostgresFailure) in
            _ = try connection.run(Statement(sql), within: .seconds(30))
        }
    }

    /// Returns the first column of the first row.
    static func text(_ sql: String, in database: String) async throws -> String? {
        let pool = ConnectionPool(try ConnectionSettings(database), size: 1)
        defer { pool.close() }
        return try await pool.run { connection throws(PostgresFailure) in
            try connection.run(Statement(sql), within: .seconds(30)).first { row throws(PostgresFailure) in
                try row.text()
            }
        }
    }

    /// Returns all rows of all tables as text.
    static func dump(_ database: String) async throws -> String {
        let pool = ConnectionPool(try ConnectionSettings(database), size: 1)
        defer { pool.close() }
        return try await pool.run { connection throws(PostgresFailure) in
            let names = try connection.run(
                Statement(
                    "SELECT tablename::text FROM pg_tables WHERE schemaname = 'storekeeper'"), within: .seconds(30)
            ).map { row throws(PostgresFailure) in try row.text() }
            var text = ""
            for name in names {
                let rows = try connection.run(
                    Statement("SELECT (t.*)::text FROM storekeeper.\"\(name)\" t"), within: .seconds(30)
                ).map { row throws(PostgresFailure) in try row.text() }
                text += rows.joined(separator: "\n")
            }
            return text
        }
    }
}
