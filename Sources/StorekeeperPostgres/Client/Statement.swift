import Synchronization

/// An SQL statement.
///
/// A connection prepares the statement only once, unless the options turn named statements off.
final class Statement: Sendable {
    let sql: String
    /// The name of the prepared statement, unique in this process.
    let name: String
    /// The effect of the statement on the transaction.
    let effect: Effect

    enum Effect: Sendable {
        case none
        /// The statement commits the transaction.
        ///
        /// If the connection is lost before the response arrives, the result is unknown.
        case commits
    }

    private static let count = Atomic<Int>(0)

    init(_ sql: String, effect: Effect = .none) {
        self.sql = sql
        self.effect = effect
        name = "storekeeper_\(Self.count.add(1, ordering: .relaxed).oldValue)"
    }

    static let begin = Statement("BEGIN ISOLATION LEVEL READ COMMITTED")
    static let commit = Statement("COMMIT", effect: .commits)
    static let rollback = Statement("ROLLBACK")
}

/// A statement with the arguments for one execution.
struct Call: Sendable {
    let statement: Statement
    let arguments: [Argument]

    init(_ statement: Statement, _ arguments: [Argument] = []) {
        self.statement = statement
        self.arguments = arguments
    }
}
