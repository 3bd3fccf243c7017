import Foundation
import Synchronization

@testable import StorekeeperPostgres

/// A PostgreSQL server on loopback that a test owns and may kill.
///
/// Calls that are not `async` block the thread. See ``offThread(_:)``.
final class PostgresServer: Sendable {
    let folder: URL
    let port: Int
    private let options: Mutex<[String: String]>
    private let template = Once()
    /// A program and its arguments that run the server's programs, for example in another mount namespace.
    private let wrapper: [String]

    private init(_ folder: URL, _ port: Int, _ options: [String: String], wrapper: [String] = []) {
        (self.folder, self.port, self.wrapper) = (folder, port, wrapper)
        self.options = Mutex(options)
    }

    deinit { remove() }

    /// A server for tests that neither kill nor configure it, started on first use.
    static let shared = Task { try await make() }

    /// Makes a server and starts it.
    ///
    /// - Parameters:
    ///   - options: Settings of the server.
    ///   - wrapper: A program and its arguments, which are put before the server's commands.
    static func make(
        _ options: [String: String] = [:], wrappedIn wrapper: [String] = []
    ) async throws -> PostgresServer {
        try await offThread {
            let folder = try ServerFolder.makeServer("server-\(UUID().uuidString.prefix(8))")
            let server = PostgresServer(folder, try freePort(), options, wrapper: wrapper)
            try server.start()
            return server
        }
    }

    /// Makes a standby that follows this server, and starts it.
    func makeStandby(_ options: [String: String] = [:]) async throws -> PostgresServer {
        try await offThread { [port] in
            let folder = try ServerFolder.makeFolder("server-\(UUID().uuidString.prefix(8))")
            try ServerPrograms.run(
                server: "pg_basebackup",
                [
                    "--pgdata", folder.path, "--write-recovery-conf", "--wal-method", "stream", "--checkpoint", "fast",
                    "--no-sync", "--dbname", "host=127.0.0.1 port=\(port) user=storekeeper sslmode=disable",
                ])
            let standby = PostgresServer(folder, try Self.freePort(), options)
            try standby.start()
            return standby
        }
    }

    /// The connection string of the server.
    var address: String { Self.address(of: [self]) }

    /// Returns the connection string for several servers, of which the client uses the server that accepts writes.
    static func address(of servers: [PostgresServer], attributes: String = "read-write") -> String {
        let hosts = servers.map { "127.0.0.1:\($0.port)" }.joined(separator: ",")
        return "postgres://storekeeper@\(hosts)/postgres?sslmode=disable&gssencmode=disable"
            + "&target_session_attrs=\(attributes)"
    }

    // MARK: Lifecycle

    func start() throws {
        var settings = [
            "listen_addresses": "127.0.0.1", "port": "\(port)", "unix_socket_directories": "", "max_connections": "60",
            "shared_buffers": "16MB", "max_wal_senders": "4",
        ]
        settings.merge(options.withLock { $0 }) { _, own in own }
        let words = settings.sorted { $0.key < $1.key }.map { "-c \($0.key)='\($0.value)'" }.joined(separator: " ")
        // If the server was killed before, its processes or its shared memory may exist for a moment longer.
        for attempt in 0... {
            do {
                try ServerPrograms.run(
                    server: "pg_ctl",
                    [
                        "--pgdata", folder.path, "--silent", "--wait", "--timeout", "60", "--log", log.path,
                        "--options", words, "start",
                    ], wrappedIn: wrapper)
                return
            } catch {
                guard attempt < 20 else { throw ServerFailure("\(error); \(lastWords)") }
                usleep(100_000)
            }
        }
    }

    /// Stops the server in a mode of `pg_ctl`: `fast`, or `immediate`, which does no cleanup.
    func stop(_ mode: String = "fast") throws {
        try ServerPrograms.run(
            server: "pg_ctl", ["--pgdata", folder.path, "--silent", "--mode", mode, "--timeout", "60", "stop"])
    }

    /// Kills the server, and returns when all its processes have ended.
    func kill() {
        guard let postmaster else { return }
        let children = Self.children(of: postmaster)
        Foundation.kill(postmaster, SIGKILL)
        let end = ContinuousClock.now + .seconds(5)
        for process in [postmaster] + children {
            while Self.isAlive(process) {
                // The server's processes end by themselves after the postmaster has ended. A process that does not end
                // is killed.
                if ContinuousClock.now > end { Foundation.kill(process, SIGKILL) }
                usleep(2_000)
            }
        }
        // The file is removed, because another process may have the same process number by now.
        try? FileManager.default.removeItem(at: folder.appendingPathComponent("postmaster.pid"))
    }

    /// Kills one of the processes that serve connections; the server then ends all others and recovers.
    ///
    /// - Parameter chance: A random number that selects the process.
    /// - Returns: Whether there was a process that serves a connection.
    func killOneConnection(_ chance: UInt64) -> Bool {
        guard let postmaster else { return false }
        let backends = Self.children(of: postmaster).filter { Self.title(of: $0).contains("127.0.0.1(") }
        guard !backends.isEmpty else { return false }
        let backend = backends[Int(chance % UInt64(backends.count))]
        return Foundation.kill(backend, SIGKILL) == 0
    }

    /// Promotes a standby, so that it accepts writes.
    func promote() throws {
        try ServerPrograms.run(
            server: "pg_ctl", ["--pgdata", folder.path, "--silent", "--wait", "--timeout", "60", "promote"])
    }

    /// Stops the server and removes its folder.
    func remove() {
        kill()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Changes a setting, which takes effect with the next start.
    func set(_ name: String, to value: String) { options.withLock { $0[name] = value } }

    // MARK: Queries

    /// Runs statements in order, each in its own transaction.
    func run(_ statements: String..., on database: String? = nil) async throws {
        let settings = try ConnectionSettings(database ?? Self.address(of: [self], attributes: "any"))
        try await offThread {
            let connection = try Connection(settings)
            for sql in statements { _ = try connection.run(Statement(sql), within: .seconds(60)) }
        }
    }

    /// Returns the first number of a query's result.
    func number(_ sql: String, on database: String? = nil) async throws -> Int64? {
        let settings = try ConnectionSettings(database ?? Self.address(of: [self], attributes: "any"))
        return try await offThread {
            let connection = try Connection(settings)
            return try connection.run(Statement(sql), within: .seconds(60))
                .first { row throws(PostgresFailure) in try row.optionalInt() } ?? nil
        }
    }

    /// Makes a database with an empty vault, and returns its connection string.
    func makeVault(_ name: String = "fleet_\(UUID().uuidString.prefix(8).lowercased())") async throws -> String {
        // The tables are made once and then copied, because the tests make hundreds of databases.
        try await template.value(or: {
            try await self.run("CREATE DATABASE empty_vault")
            try await PostgresVault(self.address(of: "empty_vault"), options: .init(connections: 1)).close()
            try await self.waitUntil("the template is left alone", "datname = 'empty_vault'")
        })
        try await run("CREATE DATABASE \(name) TEMPLATE empty_vault")
        return address(of: name)
    }

    /// Returns the connection string of a database.
    func address(of database: String) -> String {
        address.replacingOccurrences(of: "/postgres?", with: "/\(database)?")
    }

    /// Waits until all other connections to a database have ended.
    func quiesce(_ database: String) async throws {
        let name = URLComponents(string: database)?.path.dropFirst() ?? ""
        try await waitUntil("what killed nodes have asked for ends", "datname = '\(name)'")
    }

    private func waitUntil(_ what: String, _ condition: String) async throws {
        try await eventually(what) {
            try await number("SELECT count(*) FROM pg_stat_activity WHERE \(condition) AND pid <> pg_backend_pid()")
                == 0
        }
    }

    /// Changes a setting of the server while it runs.
    func alter(_ name: String, to value: String) async throws {
        try await run("ALTER SYSTEM SET \(name) = '\(value)'", "SELECT pg_reload_conf()::text")
    }

    /// The server's log.
    var words: String { (try? String(contentsOf: log, encoding: .utf8)) ?? "" }

    private var lastWords: String {
        words.split(separator: "\n").suffix(8).joined(separator: "\n")
    }

    private var log: URL { folder.appendingPathComponent("server.log") }

    // MARK: Processes

    private var postmaster: pid_t? {
        let file = folder.appendingPathComponent("postmaster.pid")
        guard let text = try? String(contentsOf: file, encoding: .utf8), let line = text.split(separator: "\n").first,
            let process = pid_t(line), Self.isAlive(process)
        else { return nil }
        return process
    }

    /// Returns the state and the parent of a process.
    private static func status(of process: pid_t) -> (state: Character, parent: pid_t)? {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
            let end = text.lastIndex(of: ")")
        else { return nil }
        let words = text[text.index(after: end)...].split(separator: " ")
        guard words.count > 1, let state = words[0].first, let parent = pid_t(words[1]) else { return nil }
        return (state, parent)
    }

    private static func isAlive(_ process: pid_t) -> Bool {
        guard let status = status(of: process) else { return false }
        return status.state != "Z" && status.state != "X"
    }

    private static func children(of process: pid_t) -> [pid_t] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return all.compactMap { pid_t($0) }.filter { status(of: $0)?.parent == process }
    }

    private static func title(of process: pid_t) -> String {
        (try? String(contentsOfFile: "/proc/\(process)/cmdline", encoding: .utf8)) ?? ""
    }

    // MARK: Ports

    /// Returns a free port below the ports that the system assigns to connections, so that the port is still free after
    /// a restart of the server.
    private static func freePort() throws -> Int {
        for _ in 0..<1_000 {
            let port = Int.random(in: 15_000..<32_000)
            if let socket = try? LoopbackSocket(listeningOn: port) {
                socket.close()
                return port
            }
        }
        throw ServerFailure("no port is free")
    }
}
