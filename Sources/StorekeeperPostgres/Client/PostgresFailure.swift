/// An error of the database.
struct PostgresFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of the error, which determines the caller's reaction.
    enum Kind: Hashable, Sendable {
        /// The connection string is malformed, or the database cannot be used for a vault.
        case badSettings
        /// Either no server could be reached, or every server that was reached is read-only.
        case unreachable
        /// The server refuses the user, the password or the database.
        case refused
        /// No TLS connection can be set up: the client does not trust the server's certificate, or the server refuses
        /// TLS or the client's certificate.
        case insecure
        /// The time limit was exceeded.
        ///
        /// The connection is closed, but the server may still be running the request.
        case tooSlow
        /// The server is read-only, because it is a standby or is configured as read-only.
        case readOnly
        /// Disk space, memory or connections are exhausted.
        case exhausted
        /// The database rolled the transaction back because of concurrent changes.
        ///
        /// Another attempt may succeed.
        case conflict
        /// Another transaction held a lock for longer than the limit of this transaction.
        case blocked
        /// A row with the same key exists.
        ///
        /// The value is the name of the violated constraint, if the server reports it.
        case duplicateKey(constraint: String?)
        /// The connection was lost, and nothing of the request was written.
        case lost
        /// It is unknown whether the request was written.
        case inDoubt
        /// The database refused the statement, because the schema is not as expected, or the statement is wrong.
        case rejected
        /// The result has an unexpected form.
        case unexpectedAnswer
        /// The caller has closed the connections.
        case closed
    }

    let kind: Kind
    /// PostgreSQL's five-character code, if the server has sent one.
    let sqlState: String?
    /// The message of the server or the client library in one line, which never contains a password.
    let message: String

    init(_ kind: Kind, sqlState: String? = nil, _ message: String) {
        self.kind = kind
        self.sqlState = sqlState
        self.message = message
    }

    /// Creates an error from a server's report.
    ///
    /// - SeeAlso: The PostgreSQL documentation, "PostgreSQL Error Codes".
    init(sqlState: String, message: String, constraint: String?) {
        self.init(Self.kind(of: sqlState, constraint: constraint), sqlState: sqlState, message)
    }

    private static func kind(of sqlState: String, constraint: String?) -> Kind {
        switch sqlState {
        case "23505": .duplicateKey(constraint: constraint)
        case "40001", "40P01": .conflict
        case "55P03": .blocked
        case "25006": .readOnly
        case "57014": .tooSlow
        case "25P03", "57P01", "57P02", "57P03", "57P04", "57P05": .lost
        default:
            switch sqlState.prefix(2) {
            case "08": .lost
            case "28", "3D": .refused
            case "53": .exhausted
            case "40": .conflict
            default: .rejected
            }
        }
    }

    /// Whether the server itself reported the error, instead of a pooler that could not reach the server.
    var isServerError: Bool { sqlState?.hasPrefix("08") == false }

    var description: String { sqlState.map { "\(message) (\($0))" } ?? message }
}
