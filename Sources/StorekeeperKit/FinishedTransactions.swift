package import Storekeeper

/// The newest transactions that an app has finished but that the vault may not have recorded as delivered.
///
/// If the vault fails while the app finishes a transaction, the store later records the delivery without a call from
/// the app, and the transaction remains here. Therefore the number of transactions is limited. A transaction that is
/// removed too early is unfinished again, as after a restart, and the app finishes it again.
package struct FinishedTransactions: Sendable {
    package static let capacity = 1000
    /// The transactions, oldest first.
    private var keys: [TransactionKey] = []

    package init() {}

    package func contains(_ key: TransactionKey) -> Bool { keys.contains(key) }

    package mutating func insert(_ key: TransactionKey) {
        remove(key)
        if keys.count == Self.capacity { keys.removeFirst() }
        keys.append(key)
    }

    package mutating func remove(_ key: TransactionKey) { keys.removeAll { $0 == key } }
}
