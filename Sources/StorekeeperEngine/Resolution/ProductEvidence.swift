/// The evidence about one product: whether chains of subscriptions contain it, and its one-time purchases.
struct ProductEvidence: Sendable {
    /// Whether a chain of a subscription contains the product.
    private(set) var hasSubscriptions = false
    private(set) var nonConsumables: [TransactionFact] = []
    private(set) var nonRenewing: [TransactionFact] = []
    private(set) var unknownTypes: [TransactionFact] = []
    private(set) var consumables: [TransactionFact] = []
    /// The type of the product in the evidence; `nil` without evidence.
    ///
    /// A real product has one type. If the evidence nevertheless names several types, this is the alphabetically first
    /// type other than `consumable`.
    private(set) var type: Product.ProductType?

    /// Returns whether any evidence of the product has a type other than the given type of the catalog.
    func contradicts(_ type: Product.ProductType) -> Bool {
        hasSubscriptions && type.isContradicted(by: .autoRenewable)
            || !nonConsumables.isEmpty && type != .nonConsumable
            || !nonRenewing.isEmpty && type != .nonRenewable || !consumables.isEmpty && type != .consumable
            || unknownTypes.contains { $0.transaction.productType != type }
    }

    private mutating func record(type: Product.ProductType) {
        guard let known = self.type, known != .consumable else {
            self.type = type
            return
        }
        if type != .consumable, type.rawValue < known.rawValue { self.type = type }
    }

    /// Records that a chain of a subscription contains the product.
    mutating func addSubscription() {
        record(type: .autoRenewable)
        hasSubscriptions = true
    }

    mutating func add(_ fact: TransactionFact) {
        let type = fact.transaction.productType
        record(type: type)
        facts(of: type) { $0.append(fact) }
    }

    /// Replaces an older copy of a transaction by a newer copy with the same product type.
    mutating func replace(_ old: TransactionFact, by new: TransactionFact) {
        facts(of: new.transaction.productType) { facts in
            if let index = facts.lastIndex(where: { $0 === old }) { facts[index] = new }
        }
    }

    private mutating func facts(of type: Product.ProductType, _ change: (inout [TransactionFact]) -> Void) {
        switch type {
        case .nonConsumable: change(&nonConsumables)
        case .nonRenewable: change(&nonRenewing)
        case .consumable: change(&consumables)
        default: change(&unknownTypes)
        }
    }
}
