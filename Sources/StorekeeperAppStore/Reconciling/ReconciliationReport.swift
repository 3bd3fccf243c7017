/// What a reconciliation has found, also in runs before that did not come to the end.
public struct ReconciliationReport: Hashable, Sendable {
    /// How many customers were compared.
    public internal(set) var compared = 0
    /// For how many of them the vault and the App Store differed.
    public internal(set) var differing = 0
    /// For how many the vault was mended.
    public internal(set) var mended = 0
    /// For how many there is something left that taking in does not mend.
    public internal(set) var open = 0
    /// How many requests the App Store was asked.
    public internal(set) var requests = 0
    /// How many of the customers were compared in a run before.
    public internal(set) var resumed = 0

    init() {}

    /// Makes the report of one customer.
    public init(of difference: CustomerDifference, requests: Int) {
        compared = 1
        self.requests = requests
        add(difference)
    }

    mutating func add(_ difference: CustomerDifference) {
        guard !difference.isEmpty else { return }
        differing += 1
        if difference.isMended { mended += 1 }
        if difference.needsAttention || difference.isMendable && !difference.isMended { open += 1 }
    }
}
