import Foundation
import StorekeeperTesting
import Synchronization
import Testing

@testable import StorekeeperPostgres

/// The server of these tests, which `make test` starts.
enum TestServer {
    static let address = ProcessInfo.processInfo.environment["STOREKEEPER_POSTGRES"]

    static func settings(namesStatements: Bool = true) throws -> ConnectionSettings {
        try ConnectionSettings(try #require(address), namesStatements: namesStatements)
    }

    static func connect(namesStatements: Bool = true) throws -> Connection {
        try Connection(settings(namesStatements: namesStatements))
    }
}

@Suite("Connections to PostgreSQL", .system, .enabled(if: TestServer.address != nil, "STOREKEEPER_POSTGRES is not set"))
struct ConnectionTests {
    private static let limit = Duration.seconds(20)

    @Test("A connection has our settings, unless the connection string has others")
    func sessionSettings() throws {
        func jit(_ address: String) throws -> String? {
            try Connection(ConnectionSettings(address)).run(Statement("SHOW jit"), within: Self.limit)
                .first { (row) throws(PostgresFailure) in try row.text() }
        }
        let address = try #require(TestServer.address)
        #expect(try jit(address) == "off")
        #expect(try jit(address + (address.contains("?") ? "&" : "?") + "options=-c%20jit%3Don") == "on")
    }
    private static let echo = Statement("SELECT $1::bigint, $2::text, $3::bytea, $4::boolean")

    private struct Row: Equatable {
        var int: Int64?
        var text: String?
        var bytes: [UInt8]?
        var bool: Bool?
    }

    private static let rows = [
        Row(int: 0, text: "", bytes: [], bool: false),
        Row(int: .max, text: "coins ☕ \u{1F3AE}", bytes: [0, 1, 255], bool: true),
        Row(int: .min, text: "a\nb'\"\\", bytes: Array(repeating: 7, count: 100_000), bool: nil),
        Row(),
    ]

    @Test("Values are read back as they were written", arguments: [true, false], Self.rows.indices)
    func values(namesStatements: Bool, index: Int) throws {
        let connection = try TestServer.connect(namesStatements: namesStatements)
        let row = Self.rows[index]
        // The statement runs twice, because it is already prepared for the second run.
        for _ in 0..<2 {
            let table = try connection.run(
                Self.echo, [.int(row.int), .text(row.text), .bytes(row.bytes), .bool(row.bool)], within: Self.limit)
            let read = try table.first { (reader) throws(PostgresFailure) in
                Row(
                    int: try reader.optionalInt(), text: try reader.optionalText(), bytes: try reader.optionalBytes(),
                    bool: try reader.optionalBool())
            }
            #expect(read == row)
        }
    }

    @Test("Array parameters carry any number of elements, including none and null", arguments: [0, 1, 2, 1000])
    func arrays(count: Int) throws {
        let connection = try TestServer.connect()
        let ints = (0..<count).map { Int64($0) }
        let texts = ints.map { $0 % 3 == 1 ? nil : "text \($0)" }
        let table = try connection.run(
            Statement("SELECT * FROM unnest($1::bigint[], $2::text[], $3::bytea[], $4::boolean[])"),
            [
                .ints(ints), .texts(texts), .bytes(ints.map { [UInt8](repeating: 1, count: Int($0) % 5) }),
                .bools(ints.map { $0 % 2 == 0 }),
            ], within: Self.limit)
        let rows = try table.map { (reader) throws(PostgresFailure) in
            Row(
                int: try reader.int(), text: try reader.optionalText(), bytes: try reader.bytes(),
                bool: try reader.bool())
        }
        #expect(
            rows
                == ints.map { int in
                    Row(
                        int: int, text: texts[Int(int)], bytes: [UInt8](repeating: 1, count: Int(int) % 5),
                        bool: int % 2 == 0)
                })
    }

    @Test("A pipeline returns its results in order, and the connection stays usable")
    func pipelines() throws {
        let connection = try TestServer.connect()
        let one = Statement("SELECT $1::bigint + 1")
        for round in 0..<3 {
            let tables = try connection.run(
                [Call(.begin)] + (0..<200).map { Call(one, [.int(Int64($0 + round))]) } + [Call(.commit)],
                within: Self.limit)
            #expect(tables.count == 202)
            let found = try tables[1...200].map { table in
                try table.first { (row) throws(PostgresFailure) in try row.int() }
            }
            #expect(found == (0..<200).map { Int64($0 + round + 1) })
        }
    }

    @Test("A pipeline with a megabyte in each direction does not block", .timeLimit(.minutes(20)))
    func largePipelines() throws {
        let connection = try TestServer.connect()
        let bytes = [UInt8](repeating: 65, count: 1 << 20)
        let calls = (0..<20).map { _ in Call(Statement("SELECT $1::bytea"), [.bytes(bytes)]) }
        let tables = try connection.run(calls, within: Self.limit)
        #expect(try tables.last?.first { (row) throws(PostgresFailure) in try row.bytes().count } == 1 << 20)
    }

    @Test("A failed statement reports its cause, stops the pipeline and leaves the connection usable")
    func failures() throws {
        let connection = try TestServer.connect()
        let table = "t\(UUID().uuidString.filter { $0 != "-" })"
        _ = try connection.run(
            Statement("CREATE TABLE \(table)(id bigint CONSTRAINT only_once PRIMARY KEY)"), within: Self.limit)
        let insert = Statement("INSERT INTO \(table) VALUES($1)")
        let failure = #expect(throws: PostgresFailure.self) {
            try connection.run(
                [
                    Call(.begin), Call(insert, [.int(1)]), Call(insert, [.int(1)]), Call(insert, [.int(2)]),
                    Call(.commit),
                ],
                within: Self.limit)
        }
        #expect(failure?.kind == .duplicateKey(constraint: "only_once"))
        _ = try connection.run(.rollback, within: Self.limit)
        let count = try connection.run(Statement("SELECT count(*) FROM \(table)"), within: Self.limit)
        #expect(try count.first { (row) throws(PostgresFailure) in try row.int() } == 0)

        let unknown = Statement("SELECT * FROM no_such_table")
        for _ in 0..<2 {
            #expect(throws: PostgresFailure.self) { try connection.run(unknown, within: Self.limit) }
        }
        let division = #expect(throws: PostgresFailure.self) {
            try connection.run(Statement("SELECT 1 / $1::bigint"), [.int(0)], within: Self.limit)
        }
        #expect(division?.kind == .rejected && division?.sqlState == "22012")
        #expect(connection.isOpen)
    }

    @Test("The commit of a failed transaction fails with a conflict")
    func failedCommit() throws {
        let connection = try TestServer.connect()
        _ = try connection.run(.begin, within: Self.limit)
        #expect(throws: PostgresFailure.self) { try connection.run(Statement("SELECT 1 / 0"), within: Self.limit) }
        let failure = #expect(throws: PostgresFailure.self) { try connection.run(.commit, within: Self.limit) }
        #expect(failure?.kind == .conflict)
    }

    @Test(
        "A statement beyond its time limit ends the connection; if a commit is under way, the outcome is in doubt",
        .timeLimit(.minutes(20)))
    func limits() throws {
        let slow = Statement("SELECT pg_sleep(20)::text")
        let connection = try TestServer.connect()
        let failure = #expect(throws: PostgresFailure.self) {
            try connection.run(slow, within: .milliseconds(200))
        }
        #expect(failure?.kind == .tooSlow)
        #expect(!connection.isOpen)
        #expect(throws: PostgresFailure.self) { try connection.run(slow, within: Self.limit) }

        let other = try TestServer.connect()
        let doubt = #expect(throws: PostgresFailure.self) {
            try other.run([Call(.begin), Call(slow), Call(.commit)], within: .milliseconds(200))
        }
        #expect(doubt?.kind == .inDoubt)
    }

    @Test(
        "A connection that the server ends is lost, not in doubt, even with a commit under way",
        arguments: [false, true])
    func ended(commits: Bool) async throws {
        let thread = ConnectionThread(try TestServer.settings())
        let backend = try await Self.number("SELECT pg_backend_pid()::bigint", on: thread)
        // A task group is used, because the compiler's optimizer crashes on `async let` at this place (Swift 6.3).
        let outcome = try await withThrowingTaskGroup { group in
            group.addTask { await Self.sleep(on: thread, commits: commits) }
            let killer = try TestServer.connect()
            let sleeps = Statement("SELECT count(*) FROM pg_stat_activity WHERE pid = $1 AND wait_event = 'PgSleep'")
            try await eventually("it is asleep") {
                try killer.run(sleeps, [.int(backend)], within: Self.limit).first { row throws(PostgresFailure) in
                    try row.int()
                } == 1
            }
            _ = try killer.run(
                Statement("SELECT pg_terminate_backend($1::bigint::integer)"), [.int(backend)], within: Self.limit)
            return try await group.next() ?? nil
        }
        // The server reported that it ends the connection, so the client knows that the transaction was rolled back.
        #expect(outcome == .lost)
        // The next work gets a new connection.
        #expect(try await Self.number("SELECT 1::bigint", on: thread) == 1)
    }

    private static func number(_ sql: String, on thread: ConnectionThread) async throws -> Int64? {
        try await thread.run { (connection) throws(PostgresFailure) in
            try connection.run(Statement(sql), within: limit).first { (row) throws(PostgresFailure) in try row.int() }
        }
    }

    private static func sleep(on thread: ConnectionThread, commits: Bool) async -> PostgresFailure.Kind? {
        do throws(PostgresFailure) {
            try await thread.run { (connection) throws(PostgresFailure) in
                let sleep = Call(Statement("SELECT pg_sleep(20)::text"))
                _ = try connection.run(commits ? [Call(.begin), sleep, Call(.commit)] : [sleep], within: limit)
            }
            return nil
        } catch {
            return error.kind
        }
    }

    @Test("Notifications of other connections arrive at once")
    func notifications() async throws {
        let listener = try TestServer.connect()
        let channel = "c\(UUID().uuidString.filter { $0 != "-" }.lowercased())"
        try listener.listen(Statement("LISTEN \(channel)"), within: Self.limit)
        #expect(try listener.notifications(within: .milliseconds(50)).isEmpty)
        let speaker = try TestServer.connect()
        _ = try speaker.run(
            Statement("SELECT pg_notify($1, $2)::text"), [.text(channel), .text("anna")], within: Self.limit)
        let heard = try listener.notifications(within: Self.limit)
        #expect(heard.map(\.payload) == ["anna"])
        #expect(heard.map(\.channel) == [channel])
    }

    @Test("A column of another type, or a missing column, is reported as a failure")
    func otherTypes() throws {
        let connection = try TestServer.connect()
        let table = try connection.run(Statement("SELECT 'one'::text, NULL::bigint"), within: Self.limit)
        #expect(throws: PostgresFailure.self) { try table.first { (row) throws(PostgresFailure) in try row.int() } }
        #expect(throws: PostgresFailure.self) {
            try table.first { (row) throws(PostgresFailure) in
                _ = try row.text()
                return try row.int()
            }
        }
        #expect(throws: PostgresFailure.self) {
            try table.first { (row) throws(PostgresFailure) in
                _ = (try row.text(), try row.optionalInt())
                return try row.bool()
            }
        }
    }

    @Test("The server refuses a text with a zero byte instead of truncating it")
    func zeroByte() throws {
        let connection = try TestServer.connect()
        let failure = #expect(throws: PostgresFailure.self) {
            try connection.run(Statement("SELECT $1::text"), [.text("a\0b")], within: Self.limit)
        }
        #expect(failure?.kind == .rejected)
    }
}

@Suite("Settings of connections", .system) struct ConnectionSettingsTests {
    @Test(
        "A malformed connection string is refused without being quoted",
        arguments: [
            "postgres://anna:secret@host:x%zz/db", "hosts=a password=secret", "password='secret", "a\0b",
            "postgres://[::1",
        ])
    func malformed(text: String) {
        let failure = #expect(throws: PostgresFailure.self) { try ConnectionSettings(text) }
        #expect(failure?.kind == .badSettings)
        #expect(failure?.message.contains("secret") == false)
    }

    @Test("Settings of the connection string override our defaults")
    func defaults() throws {
        let settings = try ConnectionSettings("postgres://a@h1,h2/db?target_session_attrs=any&sslmode=require")
        let values = Dictionary(settings.parameters.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
        #expect(values["target_session_attrs"] == "any")
        #expect(values["connect_timeout"] == "5")
        #expect(values["host"] == "h1,h2")
        #expect(settings.place.contains("h1,h2") && settings.place.contains("db"))
    }

    @Test(
        "TLS is required for other machines, unless the connection string states sslmode",
        arguments: [
            ("postgres://a:b@db1.example.com/db", "require"), ("postgres://a:b@localhost,db1/db", "require"),
            ("host=localhost hostaddr=192.0.2.1 dbname=db", "require"), ("postgres://a:b@localhost/db", nil),
            ("host=a,db.example.com hostaddr=127.0.0.1, dbname=db", "require"),
            ("host=localhost,/run/postgresql hostaddr=127.0.0.1, dbname=db", nil),
            ("postgres://a:b@127.0.0.1,[::1]/db", nil), ("postgres://%2Frun%2Fpostgresql/db", nil),
            ("postgres://a:b@db1/db?sslmode=disable", "disable"),
            ("postgres://a:b@db1/db?sslmode=verify-full", "verify-full"), ("service=game", nil),
        ])
    func tls(_ text: String, _ mode: String?) throws {
        let modes = try ConnectionSettings(text).parameters.filter { $0.name == "sslmode" }.map(\.value)
        #expect(modes == (mode.map { [$0] } ?? []))
    }

    @Test(
        "A server of another machine that asks for the password without TLS does not get it", arguments: [false, true])
    func clearText(_ isPermitted: Bool) throws {
        let listener = try LoopbackSocket(listeningOn: 0)
        let (stolen, isDone) = (StolenPassword(), DispatchSemaphore(value: 0))
        // The server refuses TLS, and asks for the password in clear text.
        Thread.detachNewThread {
            defer { isDone.signal() }
            guard let client = listener.accepted() else { return }
            defer {
                client.end()
                client.close()
            }
            func message() -> [UInt8]? {
                guard let size = client.read(4) else { return nil }
                let count = size.reduce(0) { $0 << 8 | Int($1) }
                return client.read(max(count - 4, 0))
            }
            if !isPermitted {
                guard message() != nil, client.write([UInt8(ascii: "N")]) else { return }
            }
            guard message() != nil, client.write([UInt8(ascii: "R"), 0, 0, 0, 8, 0, 0, 0, 3]),
                client.read(1) == [UInt8(ascii: "p")]
            else { return }
            let password = message()
            stolen.bytes.withLock { $0 = password }
        }
        // The number is another way to write 127.0.0.1, which counts as another machine.
        let settings = try ConnectionSettings(
            "postgres://anna:hunter2@2130706433:\(listener.port)/db?gssencmode=disable"
                + (isPermitted ? "&sslmode=disable" : ""))
        let failure = #expect(throws: PostgresFailure.self) { try Connection(settings) }
        listener.end()
        isDone.wait()
        listener.close()
        #expect(stolen.bytes.withLock { $0 } == (isPermitted ? Array("hunter2\0".utf8) : nil))
        #expect(failure?.message.contains("states sslmode") == !isPermitted, "\(failure?.message ?? "")")
    }

    /// The password that a server has received.
    private final class StolenPassword: Sendable { let bytes = Mutex<[UInt8]?>(nil) }

    @Test("A server that does not answer is unreachable, and the error names its address")
    func unreachable() throws {
        let settings = try ConnectionSettings("postgres://nobody@127.0.0.1:1/db")
        let failure = #expect(throws: PostgresFailure.self) { try Connection(settings) }
        #expect(failure?.kind == .unreachable)
        #expect(failure?.message.contains("127.0.0.1") == true)
    }

    @Test("An unknown database is refused", .enabled(if: TestServer.address != nil))
    func refused() throws {
        let address = try #require(TestServer.address)
        let settings = try ConnectionSettings(address.replacingOccurrences(of: "/postgres", with: "/no_such_database"))
        let failure = #expect(throws: PostgresFailure.self) { try Connection(settings) }
        #expect(failure?.kind == .refused)
    }
}
