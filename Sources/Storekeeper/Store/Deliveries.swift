/// The deliveries in progress, and the tasks that wait for their end.
struct Deliveries<Waiter: Sendable>: Sendable {
    private var waiters: [TransactionKey: [Waiter]] = [:]
    /// The number of deliveries in progress under this node's lease.
    var leases = 0

    /// Begins the delivery of a transaction.
    ///
    /// - Returns: `false` if the delivery is already in progress.
    mutating func begin(_ key: TransactionKey) -> Bool {
        guard waiters[key] == nil else { return false }
        waiters[key] = []
        return true
    }

    /// Ends the delivery of a transaction.
    ///
    /// - Returns: The waiters for the end of the delivery, in the order in which they were added.
    mutating func end(_ key: TransactionKey) -> [Waiter] { waiters.removeValue(forKey: key) ?? [] }

    /// Returns whether the delivery of a transaction is in progress.
    func isInProgress(_ key: TransactionKey) -> Bool { waiters[key] != nil }

    /// Adds a waiter for the end of a delivery in progress.
    mutating func wait(_ waiter: Waiter, for key: TransactionKey) { waiters[key]?.append(waiter) }
}
