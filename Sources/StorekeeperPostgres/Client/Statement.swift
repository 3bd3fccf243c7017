import Synchronization

/// A statement in SQL.
///
/// Each connection prepares it once, where it prepares any.
final class Statement: Sendable {
    let sql: String
    /// What the connections of this process call it.
    let name: String
    /// What it does to the transaction around it.
    let effect: Effect

    enum Effect: Sendable {
        case none
        /// It ends the transaction; whether it did is not known when the connection is lost meanwhile.
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

/// A statement with what its parameters are given.
struct Call: Sendable {
    let statement: Statement
    let arguments: [Argument]

    init(_ statement: Statement, _ arguments: [Argument] = []) {
        self.statement = statement
        self.arguments = arguments
    }
}
