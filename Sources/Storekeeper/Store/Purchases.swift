/// The purchases of a customer in progress, and the last result for each product.
struct Purchases: Sendable {
    private var states: [Product.ID: PurchaseState] = [:]
    /// The results before the purchases in progress.
    private var earlier: [Product.ID: PurchaseState] = [:]
    private var inProgress: Set<Product.ID> = []
    /// The transactions learned while any purchase was in progress.
    private var learned: Set<TransactionKey> = []

    /// Returns the state of a product's purchase, or the last result; `nil` before the first purchase.
    func state(of id: Product.ID) -> PurchaseState? { states[id] }

    /// Begins a purchase.
    ///
    /// - Returns: `false` if one of the product is in progress.
    mutating func begin(_ id: Product.ID) -> Bool {
        guard inProgress.insert(id).inserted else { return false }
        earlier[id] = states[id]
        states[id] = .inProgress
        return true
    }

    /// Ends a purchase.
    ///
    /// - Parameter state: The result; `nil` without one, so that the previous result applies again.
    mutating func end(_ id: Product.ID, as state: PurchaseState?) {
        states[id] = state ?? earlier[id]
        earlier[id] = nil
        inProgress.remove(id)
        if inProgress.isEmpty { learned = [] }
    }

    /// Records learned transactions, while any purchase is in progress.
    mutating func markKnown(_ keys: some Sequence<TransactionKey>) {
        if !inProgress.isEmpty { learned.formUnion(keys) }
    }

    /// Returns whether a transaction was learned while the purchases were in progress.
    func hasLearned(_ key: TransactionKey) -> Bool { learned.contains(key) }
}
