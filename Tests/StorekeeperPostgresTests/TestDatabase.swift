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

extension TestDatabase {
    /// Runs a statement, as somebody does who has the tables to themselves.
    static func run(_ sql: String, in database: String) async throws {
        let pool = ConnectionPool(try ConnectionSettings(database), size: 1)
        defer { pool.close() }
        try await pool.run { connection throws(PostgresFailure) in
            _ = try connection.run(Statement(sql), within: .seconds(30))
        }
    }

    /// The first column of the first row of an answer.
    static func text(_ sql: String, in database: String) async throws -> String? {
        let pool = ConnectionPool(try ConnectionSettings(database), size: 1)
        defer { pool.close() }
        return try await pool.run { connection throws(PostgresFailure) in
            try connection.run(Statement(sql), within: .seconds(30)).first { row throws(PostgresFailure) in
                try row.text()
            }
        }
    }

    /// All rows of all tables as text.
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
