import Foundation
import Storekeeper
import StorekeeperTesting
import Testing

@testable import StorekeeperPostgres

/// PgBouncer in transaction pooling mode, on its own port.
private final class Pooler {
    static let program = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/usr/local/bin/pgbouncer"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    let port: Int
    private let process = Process()
    private let folder: URL

    /// - Parameters:
    ///   - mode: The pooling mode.
    ///   - extra: Further lines of the settings.
    init(before server: URLComponents, mode: String = "transaction", _ extra: String = "") throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "pooler-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
        port = Int.random(in: 20_000..<32_000)
        let settings = """
            [databases]
            * = host=\(server.host ?? "127.0.0.1") port=\(server.port ?? 5432) user=\(server.user ?? "storekeeper")
            [pgbouncer]
            listen_addr = 127.0.0.1
            listen_port = \(port)
            unix_socket_dir =
            auth_type = any
            pool_mode = \(mode)
            default_pool_size = \(mode == "session" ? 20 : 4)
            \(extra)
            """
        let file = folder.appending(path: "pgbouncer.ini")
        try settings.write(to: file, atomically: true, encoding: .utf8)
        // PgBouncer refuses to run as root.
        let program = Self.program ?? "pgbouncer"
        let command = geteuid() == 0 ? ["runuser", "-u", "postgres", "--", program] : [program]
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command + ["--quiet", file.path]
        try process.run()
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
    }
}

@Suite(
    "Behind a pooler", .system,
    .enabled(if: TestDatabase.server != nil, "STOREKEEPER_POSTGRES is not set"),
    .enabled(if: Pooler.program != nil, "PgBouncer is not installed"))
struct PoolerTests {
    @Test("A vault behind PgBouncer in transaction pooling mode conforms to the laws of a vault")
    func obeysTheLaws() async throws {
        let server = try #require(TestDatabase.server.flatMap { URLComponents(string: $0) })
        let pooler = try Pooler(before: server)
        defer { pooler.stop() }
        let options = PostgresVault.Options(
            connections: 3, makesSchema: false, namesStatements: false,
            changeDetection: .polled(every: .milliseconds(50)))
        let port = pooler.port
        try await VaultConformance {
            let database = try await TestDatabase.make()
            // The owner makes the tables over a direct connection.
            try await PostgresVault(database, options: .init(connections: 2)).close()
            var address = try #require(URLComponents(string: database))
            (address.host, address.port) = ("127.0.0.1", port)
            return try await PostgresVault(try #require(address.string), options: options)
        }.run()
    }

    /// PgBouncer refuses the startup parameter `options`, or ignores it with Debian's setting.
    @Test(
        "A vault behind PgBouncer in session pooling mode needs no settings, and its connections have ours",
        arguments: ["", "ignore_startup_parameters = options"])
    func sessions(extra: String) async throws {
        let server = try #require(TestDatabase.server.flatMap { URLComponents(string: $0) })
        let pooler = try Pooler(before: server, mode: "session", extra)
        defer { pooler.stop() }
        let database = try await TestDatabase.make()
        var address = try #require(URLComponents(string: database))
        (address.host, address.port) = ("127.0.0.1", pooler.port)
        let text = try #require(address.string)
        var vault: PostgresVault?
        try await eventually("the pooler listens") {
            vault = try? await PostgresVault(text, options: .init(connections: 3))
            return vault != nil
        }
        let opened = try #require(vault)
        defer { opened.close() }
        let gift = LedgerRequest.grant(7, of: "coins", to: "anna", because: "x", key: "1", at: .day(1))
        _ = try await opened.move([gift], policy: .debt)
        #expect(try await opened.balances(of: "anna").map(\.amount) == [7])
        let mode = try await opened.storage.list(Statement("SHOW plan_cache_mode"), []) { row throws(PostgresFailure) in
            try row.text()
        }
        #expect(mode == ["force_generic_plan"])
    }
}
