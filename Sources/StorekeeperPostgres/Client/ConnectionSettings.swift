import CPostgres
import Storekeeper

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A parsed connection string, in libpq's syntax.
///
/// Examples are `postgres://user@host1,host2/database?sslmode=verify-full`, `host=… dbname=…` and `service=…`. Omitted
/// parameters without a value in `defaults` come from libpq's environment variables, password file and service file.
struct ConnectionSettings: Sendable {
    /// The parameters with libpq's names.
    ///
    /// If the string omits a parameter that `defaults` contains, the parameter has the value of `defaults`.
    let parameters: [(name: String, value: String)]
    /// The server's settings for the connection, which are set after connecting, unless the string sets them.
    ///
    /// They are not a startup parameter, because PgBouncer refuses or ignores the parameter `options`.
    let session: [(name: String, value: String)]
    /// The connection string without its secrets; `nil` if the string is not a URI.
    private let uri: String?
    /// Whether prepared statements have names.
    ///
    /// PgBouncer does not support named statements in transaction pooling mode.
    let namesStatements: Bool
    /// Whether TLS is required, although nobody has stated it.
    let demandsTLS: Bool

    /// The defaults for parameters that the string omits.
    private static let defaults = [
        // If there are several hosts, libpq connects to the host that accepts writes.
        ("target_session_attrs", "read-write"),
        // The time limit for connecting to each host, in seconds.
        ("connect_timeout", "5"),
        ("application_name", "storekeeper"),
        ("client_encoding", "UTF8"),
        // With these settings a lost server is noticed within seconds instead of hours.
        ("keepalives_idle", "10"), ("keepalives_interval", "5"), ("keepalives_count", "3"),
        ("tcp_user_timeout", "20000"),
    ]

    /// The planner's settings for our statements, which look up a few rows of large tables by their keys.
    ///
    /// The server makes a plan only once, because planning at each call would take longer than running the statement.
    /// Sequential scans are disabled. Otherwise the server would continue to use a plan made for small tables, which
    /// scans whole tables, after the tables have grown.
    private static let planning = [
        ("jit", "off"), ("plan_cache_mode", "force_generic_plan"), ("enable_seqscan", "off"),
        ("enable_hashjoin", "off"), ("enable_mergejoin", "off"),
    ]

    /// The server's keepalive settings.
    ///
    /// If the machine of a node loses power, the server keeps the node's locks until a keepalive fails.
    private static let serverKeepalives = [
        ("tcp_keepalives_idle", "10"), ("tcp_keepalives_interval", "5"), ("tcp_keepalives_count", "3"),
    ]

    /// Parses a connection string.
    ///
    /// - Parameters:
    ///   - text: The string.
    ///   - namesStatements: Whether prepared statements have names.
    ///   - patience: The time that the server waits for the next statement of a transaction before it ends the
    ///     connection. A node that sends no statements must not keep locks for which other nodes wait.
    /// - Throws: ``PostgresFailure`` with `badSettings`, whose message does not quote a value, or with `unreachable` if
    ///   libpq is not available.
    init(
        _ text: String, namesStatements: Bool = true, patience: Duration = .seconds(60)
    ) throws(PostgresFailure) {
        guard !text.utf8.contains(0) else {
            throw PostgresFailure(.badSettings, "the connection string contains a zero byte")
        }
        let uri = try ConnectionURI(text)
        if let missing = cpostgres_load() { throw PostgresFailure(.unreachable, String(cString: missing)) }
        var problem: UnsafeMutablePointer<CChar>?
        guard let options = PQconninfoParse(text, &problem) else {
            defer { PQfreemem(problem) }
            throw PostgresFailure(
                .badSettings,
                "the connection string cannot be read: \(Self.reason(problem)); see the documentation of libpq")
        }
        defer { PQconninfoFree(options) }
        var parameters: [(name: String, value: String)] = []
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { parameters.append((String(cString: keyword), String(cString: value))) }
            option += 1
        }
        let given = Set(parameters.map(\.name))
        // Without named statements, a pooler is assumed. A pooler shares connections among clients, so it may refuse
        // settings for a connection, and it does not store plans.
        let milliseconds = Int64(max(1, patience / .milliseconds(1)))
        let own = [("idle_in_transaction_session_timeout", "\(milliseconds)")] + Self.serverKeepalives + Self.planning
        session = namesStatements ? own.map { (name: $0.0, value: $0.1) } : []
        parameters += Self.defaults.filter { !given.contains($0.0) }.map { (name: $0.0, value: $0.1) }
        demandsTLS = !given.contains("sslmode") && Self.leavesMachine(parameters)
        // By default libpq goes on without TLS if the server asks for it, and then sends the password to whoever asks.
        if demandsTLS { parameters.append(("sslmode", "require")) }
        self.parameters = parameters
        self.namesStatements = namesStatements
        self.uri = uri?.name
    }

    /// Returns whether a connection may leave this machine, although no environment variable states its TLS.
    ///
    /// A service file may state both the host and the TLS, so it is left to libpq.
    private static func leavesMachine(_ parameters: [(name: String, value: String)]) -> Bool {
        func value(_ name: String, or variable: String) -> String? {
            let given = parameters.last { $0.name == name }?.value ?? getenv(variable).map { String(cString: $0) }
            return given.flatMap { $0.isEmpty ? nil : $0 }
        }
        guard value("service", or: "PGSERVICE") == nil, value("sslmode", or: "PGSSLMODE") == nil else { return false }
        // An address takes the place of its host, but may be empty in the list.
        let hosts = [value("hostaddr", or: "PGHOSTADDR"), value("host", or: "PGHOST")]
        return hosts.compactMap(\.self).flatMap { $0.split(separator: ",") }.contains { host in
            let isSocket = host.utf8.first == UInt8(ascii: "/") || host.utf8.first == UInt8(ascii: "@")
            return !isSocket && !["localhost", "127.0.0.1", "::1"].contains(host.lowercased())
        }
    }

    /// Returns libpq's reason up to the first quotation, because a quotation may contain a part of a password.
    private static func reason(_ problem: UnsafeMutablePointer<CChar>?) -> String {
        guard let problem else { return "out of memory" }
        let text = String(cString: problem)
        // A quotation mark before a combining mark is not a `Character` of its own, but begins a quotation as well.
        let end = text.unicodeScalars.firstIndex { $0 == "\"" || $0 == "\n" } ?? text.endIndex
        let words = text[..<end].trimmed
        return words.isEmpty ? "it is malformed" : words
    }

    /// The name of the database in messages, which is the connection string without its secrets.
    var name: String { uri ?? place }

    /// Returns a text in which `…` replaces the passwords of the connection string.
    func withoutSecrets(_ text: String) -> String {
        let secrets = parameters.filter { $0.name.contains("password") && $0.value.utf8.count > 2 }.map(\.value)
        return secrets.reduce(text) { $0.replacingBytes(of: $1, with: "…") }
    }

    /// The hosts, ports and database for messages, without the user and the password.
    var place: String {
        func value(_ name: String) -> String? { parameters.last { $0.name == name }?.value }
        let host = value("host") ?? value("hostaddr") ?? value("service").map { "service \($0)" } ?? "the local server"
        return [host, value("port").map { "port \($0)" }, value("dbname").map { "database \($0)" }]
            .compactMap { $0 }.joined(separator: ", ")
    }
}

extension StringProtocol {
    /// The text without white space and colons at its ends.
    fileprivate var trimmed: String {
        let isSpace: (Character) -> Bool = { $0.isWhitespace || $0 == ":" }
        return String(drop(while: isSpace).reversed().drop(while: isSpace).reversed())
    }
}
