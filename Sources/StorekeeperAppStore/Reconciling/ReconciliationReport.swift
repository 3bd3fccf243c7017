/// The results of a reconciliation, including the results of the interrupted runs that the reconciliation has
/// continued.
public struct ReconciliationReport: Hashable, Sendable {
    /// The number of compared customers.
    public internal(set) var compared = 0
    /// The number of customers with a difference.
    public internal(set) var differing = 0
    /// The number of customers whose evidence was updated.
    public internal(set) var repaired = 0
    /// The number of customers with a remaining difference.
    ///
    /// A difference remains if storing evidence does not resolve it, or if the vault was not updated.
    public internal(set) var open = 0
    /// The number of requests to the App Store.
    public internal(set) var requests = 0
    /// The number of customers compared in the interrupted runs that this run has continued.
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
