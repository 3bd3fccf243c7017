/// The purchases of a customer that are going on, and how the last one of each product ended.
struct Purchases: Sendable {
    private var states: [Product.ID: PurchaseState] = [:]
    /// How the purchase before the one that is going on ended.
    private var earlier: [Product.ID: PurchaseState] = [:]
    private var underWay: Set<Product.ID> = []
    /// Transactions learned while any purchase was going on.
    private var learned: Set<TransactionKey> = []

    /// Where the purchase of a product stands, or how the last one ended; `nil` before the first.
    func state(of id: Product.ID) -> PurchaseState? { states[id] }

    /// Begins a purchase.
    ///
    /// - Returns: `false` where one of the product is going on.
    mutating func begin(_ id: Product.ID) -> Bool {
        guard underWay.insert(id).inserted else { return false }
        earlier[id] = states[id]
        states[id] = .inProgress
        return true
    }

    /// Ends a purchase.
    ///
    /// - Parameter state: How; `nil` where nothing came of it, so that the one before it is the last again.
    mutating func end(_ id: Product.ID, as state: PurchaseState?) {
        states[id] = state ?? earlier[id]
        earlier[id] = nil
        underWay.remove(id)
        if underWay.isEmpty { learned = [] }
    }

    /// Remembers that transactions were learned, for as long as any purchase is going on.
    mutating func markKnown(_ keys: some Sequence<TransactionKey>) {
        if !underWay.isEmpty { learned.formUnion(keys) }
    }

    /// Whether a transaction was learned while the purchases were going on.
    func hasLearned(_ key: TransactionKey) -> Bool { learned.contains(key) }
}
