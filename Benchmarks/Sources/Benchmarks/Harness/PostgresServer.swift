import Foundation

/// A PostgreSQL server with separate databases.
struct PostgresServer: Sendable {
    /// The connection string of its owner, without a database name.
    private let base: String

    /// The server of this run; `nil` if there is none.
    static var given: PostgresServer? {
        guard let address = ProcessInfo.processInfo.environment["STOREKEEPER_POSTGRES"],
            let slash = address.lastIndex(of: "/")
        else { return nil }
        return PostgresServer(base: String(address[..<slash]))
    }

    /// The connection string of a database.
    func address(of database: String) -> String { "\(base)/\(database)" }

    /// Runs statements one after the other.
    func execute(_ statements: String..., in database: String = "postgres") throws {
        let words = ["psql", "-qAtX", "-v", "ON_ERROR_STOP=1", address(of: database)]
        try Self.run(words + statements.flatMap { ["-c", $0] })
    }

    /// Creates an empty database, replacing one of that name.
    func makeDatabase(_ name: String, template: String = "template1") throws {
        try execute(
            "SET client_min_messages = warning", "DROP DATABASE IF EXISTS \(name) WITH (FORCE)",
            // A template database must have no connections.
            "SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity WHERE datname = '\(template)'",
            "CREATE DATABASE \(name) TEMPLATE \(template)", "CHECKPOINT")
    }

    /// Runs transactions of `pgbench`, PostgreSQL's own program for measurements.
    ///
    /// - Returns: The seconds that they took, without connecting.
    func pgbench(_ script: String, in database: String, clients: Int, transactions: Int) throws -> Double {
        let folder = try TemporaryFolder()
        try script.write(toFile: folder.file("script.sql"), atomically: false, encoding: .utf8)
        let output = try Self.run([
            "pgbench", "-n", "-M", "prepared", "-j", "2", "-D", "n=0", "-c", "\(clients)",
            "-t", "\(transactions / clients)", "-f", folder.file("script.sql"), address(of: database),
        ])
        guard let rate = output.matches(of: /tps = ([0-9.]+)/).last.flatMap({ Double($0.1) }) else {
            throw BenchmarkError("pgbench: \(output)")
        }
        return Double(transactions / clients * clients) / rate
    }

    /// Runs a program to its end and returns what it says.
    @discardableResult
    private static func run(_ words: [String]) throws -> String {
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = words
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw BenchmarkError("\(words[0]): \(output)") }
        return output
    }
}
