/// The transactions whose goods are being handed out, and who waits for the end of that.
struct Deliveries<Waiter: Sendable>: Sendable {
    private var waiters: [TransactionKey: [Waiter]] = [:]
    /// How many hand something out under this node's lease.
    var leases = 0

    /// Begins to hand out the goods of a transaction.
    ///
    /// - Returns: `false` where somebody is doing so.
    mutating func begin(_ key: TransactionKey) -> Bool {
        guard waiters[key] == nil else { return false }
        waiters[key] = []
        return true
    }

    /// Ends what ``begin(_:)`` has begun.
    ///
    /// - Returns: Who has waited for it, in the order in which they came.
    mutating func end(_ key: TransactionKey) -> [Waiter] { waiters.removeValue(forKey: key) ?? [] }

    /// Whether the goods of a transaction are being handed out.
    func isUnderWay(_ key: TransactionKey) -> Bool { waiters[key] != nil }

    /// Lets somebody wait for the end of a delivery that is under way.
    mutating func wait(_ waiter: Waiter, for key: TransactionKey) { waiters[key]?.append(waiter) }
}
