import RawPostgres

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A PostgreSQL server with separate databases.
struct PostgresServer {
    /// The connection string of its owner, without a database name.
    private let base: String
    private let query: String

    /// The server of this run; `nil` if there is none.
    static var given: PostgresServer? { getenv("STOREKEEPER_POSTGRES").map { PostgresServer(String(cString: $0)) } }

    /// - Parameter address: A connection string as `postgres://user@host:port/database`.
    init(_ address: String, query: String = "") {
        base = address.lastIndex(of: "/").map { String(address[..<$0]) } ?? address
        self.query = query
    }

    /// The same server with other connection parameters.
    func asked(_ query: String) -> PostgresServer { PostgresServer(base + "/", query: "?" + query) }

    /// The same server behind a slow network with a delay in each direction.
    func delayed(microseconds: Int32) throws -> PostgresServer {
        guard let colon = base.lastIndex(of: ":"), let port = Int32(base[base.index(after: colon)...]) else {
            throw BenchmarkError("the server has no port")
        }
        let delayed = raw_postgres_delay(port, microseconds)
        guard delayed > 0 else { throw BenchmarkError("no port is free") }
        return PostgresServer("\(base[..<colon]):\(delayed)/", query: query)
    }

    /// The connection string of a database.
    func address(of database: String) -> String { "\(base)/\(database)\(query)" }

    /// Runs statements one after the other.
    ///
    /// - Returns: The first value in the result of the last statement, as text.
    @discardableResult
    func execute(_ statements: String..., in database: String = "postgres") throws -> String {
        let texts = statements.map { strdup($0) }
        defer { for text in texts { free(text) } }
        var words = texts.map { $0.map { UnsafePointer($0) } }
        var answer = [CChar](repeating: 0, count: 1_024)
        let failed = raw_postgres_execute(
            address(of: database), &words, Int32(words.count), &answer, answer.count)
        let text = String(decoding: answer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard failed == 0 else { throw BenchmarkError("PostgreSQL: \(text)") }
        return text
    }

    /// Creates an empty database, replacing one of that name.
    func makeDatabase(_ name: String, template: String = "template1") throws {
        try execute(
            "SET client_min_messages = warning", "DROP DATABASE IF EXISTS \(name) WITH (FORCE)",
            // A template database must have no connections.
            "SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity WHERE datname = '\(template)'",
            "CREATE DATABASE \(name) TEMPLATE \(template)", "CHECKPOINT")
    }
}

/// A separate server and its standby, which end with this object.
final class PostgresPair {
    let primary: PostgresServer
    private let folders: [String]
    private let answer: TemporaryFolder

    init() throws {
        let answer = try TemporaryFolder()
        var folders: [String] = []
        let address: String
        do {
            address = try Self.run("start", in: &folders, answer)
            _ = try Self.run("standby", in: &folders, answer, address)
        } catch {
            Self.stop(folders, answer)
            throw error
        }
        primary = PostgresServer(address)
        (self.folders, self.answer) = (folders, answer)
        try primary.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
        try primary.execute("SELECT pg_reload_conf()")
        try awaitStandby()
    }

    deinit { Self.stop(folders, answer) }

    private static let script = "Scripts/postgres-server.sh"

    /// Starts a server in a separate folder.
    private static func run(
        _ command: String, in folders: inout [String], _ answer: TemporaryFolder, _ more: String...
    ) throws -> String {
        var template = Array("/tmp/storekeeper-bench-server.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw BenchmarkError("cannot make a temporary folder") }
        let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        folders.append(folder)
        let run = try ChildProcess.run(
            "/bin/bash", [script, command, folder] + more, outputPath: answer.file("answer"))
        guard run.exitStatus == 0 else { throw BenchmarkError("\(script) \(command) has failed") }
        return run.output.filter { !$0.isNewline }
    }

    private static func stop(_ folders: [String], _ answer: TemporaryFolder) {
        for folder in folders.reversed() {
            _ = try? ChildProcess.run("/bin/bash", [script, "stop", folder], outputPath: answer.file("answer"))
            _ = try? ChildProcess.run("/bin/rm", ["-rf", folder], outputPath: answer.file("answer"))
        }
    }

    /// Waits until the standby has caught up.
    func awaitStandby() throws {
        for _ in 0..<6_000 {
            let standbys = try primary.execute(
                """
                SELECT count(*) FROM pg_stat_replication
                WHERE sync_state = 'sync' AND replay_lsn >= pg_current_wal_lsn()
                """)
            if standbys == "1" { return }
            usleep(10_000)
        }
        throw BenchmarkError("the standby does not catch up")
    }
}
