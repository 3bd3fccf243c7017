/// Why the database did not do what it was asked.
struct PostgresFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// What a caller does about it.
    enum Kind: Hashable, Sendable {
        /// The connection string is none.
        case badSettings
        /// No server could be reached, or none of those named takes writes.
        case unreachable
        /// The server refuses this user, password or database.
        case refused
        /// It took longer than allowed. What was asked may be going on still; the connection is closed.
        case tooSlow
        /// The server only reads: a standby, or one that was told to.
        case readOnly
        /// No room, on disk or in memory, or no connection left.
        case exhausted
        /// The database undid it, because of what others did at the same time. Worth another try.
        case conflict
        /// There is a row with this key already; the name of the rule, where the server says it.
        case duplicateKey(constraint: String?)
        /// The connection was lost, and nothing of what was asked is written.
        case lost
        /// Whether what was asked is written cannot be told from here.
        case inDoubt
        /// The database refused the statement: it, or the schema, is not what we take it for.
        case rejected
        /// An answer is not what was asked for.
        case unexpectedAnswer
        /// Whoever asks has closed the connections.
        case closed
    }

    let kind: Kind
    /// PostgreSQL's code of five characters, where the server has given one.
    let sqlState: String?
    /// What the server or the client library says, in one line; never a password.
    let message: String

    init(_ kind: Kind, sqlState: String? = nil, _ message: String) {
        self.kind = kind
        self.sqlState = sqlState
        self.message = message
    }

    /// An error that the server has reported.
    ///
    /// - SeeAlso: The PostgreSQL documentation, "PostgreSQL Error Codes".
    init(sqlState: String, message: String, constraint: String?) {
        self.init(Self.kind(of: sqlState, constraint: constraint), sqlState: sqlState, message)
    }

    private static func kind(of sqlState: String, constraint: String?) -> Kind {
        switch sqlState {
        case "23505": .duplicateKey(constraint: constraint)
        case "40001", "40P01", "55P03": .conflict
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

    /// Whether it says what the server has done, and not only that somebody could not reach it.
    var isOfTheServer: Bool { sqlState?.hasPrefix("08") == false }

    var description: String { sqlState.map { "\(message) (\($0))" } ?? message }
}
