import CPostgres

/// Where a database is and how to come to it: a connection string or a service, as libpq takes them.
///
/// `postgres://user@host1,host2/database?sslmode=verify-full`, `host=… dbname=…`, `service=…`. What it leaves out comes
/// from libpq's own environment, password and service files.
struct ConnectionSettings: Sendable {
    /// Names and values, in libpq's words, with what we ask for where the string does not say.
    let parameters: [(name: String, value: String)]
    /// The string in the form of a URI, if it has that form, without its secrets.
    private let uri: String?
    /// Whether statements get names, which PgBouncer cannot keep where it hands out connections by transaction.
    let namesStatements: Bool

    /// What is asked for where the string does not say.
    private static let defaults = [
        // Of several hosts the one that takes writes.
        ("target_session_attrs", "read-write"),
        // Seconds for each host.
        ("connect_timeout", "5"),
        ("application_name", "storekeeper"),
        ("client_encoding", "UTF8"),
        // A peer that is gone is noticed within seconds and not within hours.
        ("keepalives_idle", "10"), ("keepalives_interval", "5"), ("keepalives_count", "3"),
        ("tcp_user_timeout", "20000"),
    ]

    /// How the server is to plan: all statements look for a few rows of large tables by their keys.
    ///
    /// Planned anew at each call they take longer to plan than to run, and a plan that was made while the tables were small
    /// would read all of them when they have grown.
    private static let planning =
        "-c jit=off -c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c enable_hashjoin=off"
        + " -c enable_mergejoin=off"

    /// The same for the server: a node whose machine has lost its power keeps its locks until then.
    private static let serverKeepalives =
        "-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3"

    /// Reads a connection string.
    ///
    /// - Parameters:
    ///   - text: The string.
    ///   - namesStatements: Whether statements get names.
    ///   - patience: How long the server waits for the next word of a transaction before it ends the connection: a node
    ///     that has fallen silent must not keep the locks that others wait for.
    /// - Throws: ``PostgresFailure`` with `badSettings`, which quotes no value, and with `unreachable` where libpq itself is
    ///   not there.
    init(
        _ text: String, namesStatements: Bool = true, patience: Duration = .seconds(60)
    ) throws(PostgresFailure) {
        guard !text.utf8.contains(0) else {
            throw PostgresFailure(.badSettings, "the connection string holds a zero byte")
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
        // A pooler may refuse settings of a connection that is not its client's alone, and keeps no plans.
        if namesStatements {
            let milliseconds = Int64(max(1, patience / .milliseconds(1)))
            let own = "-c idle_in_transaction_session_timeout=\(milliseconds) \(Self.serverKeepalives) \(Self.planning)"
            // The caller's come last, and win.
            let theirs = parameters.last { $0.name == "options" }?.value
            parameters.removeAll { $0.name == "options" }
            parameters.append(("options", [own, theirs].compactMap { $0 }.joined(separator: " ")))
        }
        parameters += Self.defaults.filter { !given.contains($0.0) }.map { (name: $0.0, value: $0.1) }
        self.parameters = parameters
        self.namesStatements = namesStatements
        self.uri = uri?.name
    }

    /// libpq's reason without what it quotes, which may be part of a password.
    private static func reason(_ problem: UnsafeMutablePointer<CChar>?) -> String {
        guard let problem else { return "out of memory" }
        let text = String(cString: problem)
        let end = text.firstIndex { $0 == "\"" || $0 == "\n" } ?? text.endIndex
        let words = text[..<end].trimmed
        return words.isEmpty ? "it is malformed" : words
    }

    /// What to call the database in messages: the string without its secrets.
    var name: String { uri ?? place }

    /// A text without the passwords of the string, whoever has quoted them.
    func withoutSecrets(_ text: String) -> String {
        let secrets = parameters.filter { $0.name.contains("password") && $0.value.utf8.count > 2 }.map(\.value)
        return secrets.reduce(text) { $0.replacing($1, with: "…") }
    }

    /// Hosts, ports and database, to tell people where; no user and no password.
    var place: String {
        func value(_ name: String) -> String? { parameters.last { $0.name == name }?.value }
        let host = value("host") ?? value("hostaddr") ?? value("service").map { "service \($0)" } ?? "the local server"
        return [host, value("port").map { "port \($0)" }, value("dbname").map { "database \($0)" }]
            .compactMap { $0 }.joined(separator: ", ")
    }
}

extension StringProtocol {
    /// Without white space at its ends.
    fileprivate var trimmed: String {
        let isSpace: (Character) -> Bool = { $0.isWhitespace || $0 == ":" }
        return String(drop(while: isSpace).reversed().drop(while: isSpace).reversed())
    }
}
