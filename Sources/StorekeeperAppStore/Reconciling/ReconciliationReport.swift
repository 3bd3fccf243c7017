/// The results of a reconciliation, including interrupted runs before.
public struct ReconciliationReport: Hashable, Sendable {
    /// The number of compared customers.
    public internal(set) var compared = 0
    /// The number of customers with a difference.
    public internal(set) var differing = 0
    /// The number of customers whose evidence was updated.
    public internal(set) var repaired = 0
    /// The number of customers with a difference that storing evidence does not resolve.
    public internal(set) var open = 0
    /// The number of requests to the App Store.
    public internal(set) var requests = 0
    /// The number of customers compared in a previous run.
    public internal(set) var resumed = 0

    init() {}

    /// Creates the report of one customer.
    public init(of difference: CustomerDifference, requests: Int) {
        compared = 1
        self.requests = requests
        add(difference)
    }

    mutating func add(_ difference: CustomerDifference) {
        guard !difference.isEmpty else { return }
        differing += 1
        if difference.isRepaired { repaired += 1 }
        if difference.needsAttention || difference.isRepairable && !difference.isRepaired { open += 1 }
    }
}
