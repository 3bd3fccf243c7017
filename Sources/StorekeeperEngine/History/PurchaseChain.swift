/// The transactions that share an original transaction, either of a subscription or of a one-time purchase.
package struct PurchaseChain: Sendable, Equatable {
    /// The identity of a chain.
    typealias ID = ChainID

    /// The newest copy of each transaction, the newest transaction last.
    private(set) var facts: [TransactionFact] = []

    /// Whether any of the transactions is not an auto-renewable subscription.
    private(set) var hasOneTimePurchases = false
    /// The subscription products, with the groups that the transactions name.
    private(set) var subscriptions: Set<Subscription> = []

    /// A product, and the group that a transaction names for it; the group is `nil` if the transaction does not name a
    /// group.
    struct Subscription: Hashable, Sendable {
        let productID: Product.ID
        let groupID: SubscriptionGroup.ID?
    }

    /// Whether any two of the transactions were purchased at the same instant.
    private(set) var hasTies = false

    /// The original transaction ids of the lines of service that this chain replaces; usually empty.
    private(set) var predecessors: Set<Transaction.ID> = []

    /// Whether any of the transactions is one of several transactions of its period.
    private(set) var hasAdditions = false

    /// Whether every transaction is the only transaction of its own subscription period.
    var hasOneTransactionPerPeriod: Bool { !hasOneTimePurchases && !hasTies && !hasAdditions }

    /// Whether the transactions are in order, the newest last.
    private var isSorted = true
    private var lastSubscription: Subscription?
    /// The app transaction ids in the transactions.
    private(set) var downloads = Downloads()

    /// The app transaction ids in the transactions of a chain; a chain usually has only one.
    struct Downloads: Equatable, Sendable {
        private var first: String?
        private var others: Set<String> = []
        private var hasUnknown = false

        /// Returns whether an app transaction id may belong to the chain.
        ///
        /// The result is `true` if a transaction of the chain has this id, or has no app transaction id.
        func mayInclude(_ id: String) -> Bool { hasUnknown || id == first || others.contains(id) }

        fileprivate mutating func record(_ id: String?) {
            if id == nil {
                hasUnknown = true
            } else if first == nil {
                first = id
            } else if let id, id != first {
                others.insert(id)
            }
        }
    }

    /// Adds a transaction that is new to the chain.
    ///
    /// - Returns: `true` if the chain is still in order; `false` if ``sort()`` must be called.
    mutating func append(_ fact: TransactionFact) -> Bool {
        if let last = facts.last {
            if !Self.precedes(last, fact) { isSorted = false }
            if last.purchasedAt == fact.purchasedAt { hasTies = true }
        }
        record(fact)
        facts.append(fact)
        return isSorted
    }

    private mutating func record(_ fact: TransactionFact) {
        if fact.transaction.additionalTransactionReason != nil { hasAdditions = true }
        if let previous = fact.transaction.previousOriginalTransactionID { predecessors.insert(previous) }
        downloads.record(fact.transaction.appTransactionID)
        guard fact.transaction.productType == .autoRenewable else {
            hasOneTimePurchases = true
            return
        }
        // Consecutive transactions usually have the same product.
        if let last = lastSubscription, last.productID == fact.transaction.productID,
            last.groupID == fact.transaction.subscriptionGroupID
        {
            return
        }
        let subscription = Subscription(
            productID: fact.transaction.productID, groupID: fact.transaction.subscriptionGroupID)
        lastSubscription = subscription
        subscriptions.insert(subscription)
    }

    /// Returns whether a renewal info may belong to this chain.
    ///
    /// The result is `true` if the info has no app transaction id, or has an id that ``Downloads/mayInclude(_:)``
    /// accepts.
    func mayOwn(_ info: RenewalInfo) -> Bool {
        info.appTransactionID.map(downloads.mayInclude) ?? true
    }

    /// Replaces an older copy of a transaction by a newer copy if the newer one has the same product, group, app
    /// transaction id, predecessor and position in the chain.
    ///
    /// - Returns: Whether the copy was replaced.
    mutating func replace(_ old: TransactionFact, by new: TransactionFact) -> Bool {
        guard isSorted, new.isOfSameLine(as: old),
            new.transaction.appTransactionID == old.transaction.appTransactionID,
            new.transaction.previousOriginalTransactionID == old.transaction.previousOriginalTransactionID,
            let index = index(of: old),
            index == 0 || Self.precedes(facts[index - 1], new),
            index == facts.count - 1 || Self.precedes(new, facts[index + 1])
        else { return false }
        facts[index] = new
        if new.transaction.additionalTransactionReason != nil { hasAdditions = true }
        recordTies(at: index)
        return true
    }

    /// Returns the index of a transaction; `nil` if the chain does not have this copy, or if the chain is not in order.
    func index(of fact: TransactionFact) -> Int? {
        // Most callers look up the newest transaction.
        if let last = facts.last, last === fact { return facts.count - 1 }
        let index = facts.partitioningIndex { !Self.precedes($0, fact) }
        return index < facts.count && facts[index] === fact ? index : nil
    }

    /// Returns the number of transactions that were purchased at or before an instant; the chain must be in order.
    func count(begunBy instant: Instant) -> Int {
        if let last = facts.last, last.purchasedAt <= instant { return facts.count }
        return facts.partitioningIndex { $0.purchasedAt > instant }
    }

    /// Removes every fact that does not satisfy a condition.
    mutating func filter(where isKept: (TransactionFact) -> Bool) {
        facts.removeAll { !isKept($0) }
        hasOneTimePurchases = false
        hasAdditions = false
        predecessors = []
        subscriptions = []
        lastSubscription = nil
        downloads = Downloads()
        for fact in facts { record(fact) }
        recordTies()
    }

    /// Returns whether two chains have equal transactions.
    package static func == (left: PurchaseChain, right: PurchaseChain) -> Bool { left.facts == right.facts }

    /// Sorts the transactions; does nothing if they are already in order.
    mutating func sort() {
        guard !isSorted else { return }
        facts.sort(by: Self.precedes)
        isSorted = true
        recordTies()
    }

    private mutating func recordTies() {
        hasTies = zip(facts, facts.dropFirst()).contains { $0.purchasedAt == $1.purchasedAt }
    }

    private mutating func recordTies(at index: Int) {
        let instant = facts[index].purchasedAt
        if index > 0, facts[index - 1].purchasedAt == instant { hasTies = true }
        if index < facts.count - 1, facts[index + 1].purchasedAt == instant { hasTies = true }
    }

    /// Returns whether a transaction precedes another in a chain; an earlier purchase precedes a later one.
    ///
    /// If both were purchased at the same instant, the first difference in this list decides:
    /// - An upgraded transaction precedes a transaction that was not upgraded.
    /// - A revoked transaction precedes a transaction that was not revoked.
    /// - The earlier expiry precedes, then the earlier signature, then the smaller id.
    ///
    /// So the transaction of an upgrade counts as newer than the upgraded transaction, whichever of the two expires
    /// later.
    package static func precedes(_ left: TransactionFact, _ right: TransactionFact) -> Bool {
        if left.purchasedAt != right.purchasedAt { return left.purchasedAt < right.purchasedAt }
        return precedesAmongEquals(left.transaction, right.transaction)
    }

    /// Returns whether a purchase is earlier than another purchase, which may be in another chain; at equal dates, the
    /// smaller id is earlier.
    static func isEarlierPurchase(_ left: TransactionFact, _ right: TransactionFact) -> Bool {
        let (a, b) = (left.transaction.purchasedAt, right.transaction.purchasedAt)
        return a == b ? left.transaction.id.precedesAsNumber(right.transaction.id) : a < b
    }

    private static func precedesAmongEquals(_ left: Transaction, _ right: Transaction) -> Bool {
        if left.isUpgraded != right.isUpgraded { return left.isUpgraded }
        if (left.revokedAt == nil) != (right.revokedAt == nil) { return left.revokedAt != nil }
        let (leftEnd, rightEnd) = (left.subscriptionPeriodEnd, right.subscriptionPeriodEnd)
        if leftEnd != rightEnd { return leftEnd < rightEnd }
        if left.signedAt != right.signedAt { return left.signedAt < right.signedAt }
        return left.id.precedesAsNumber(right.id)
    }
}

// MARK: - Records of one period

extension PurchaseChain {
    /// The subscription's transactions without further records of the same billing event, the newest last.
    ///
    /// Restoring a purchase creates another transaction (a record) of the same period, with its own id. After a refund,
    /// the App Store may not sign every one of these records again. Therefore all records of one period are treated as
    /// copies of one transaction, and only the newest record counts. The transactions of a seat addition are no further
    /// records; see ``BilledPeriod``.
    var subscriptionRecords: [TransactionFact] {
        // If no transaction is left out, the facts are returned unchanged, because filtering would read every
        // transaction.
        guard hasOneTimePurchases || hasTies else { return facts }
        let subscriptions = facts.filter { $0.transaction.productType == .autoRenewable }
        return hasTies ? Self.subscriptionRecords(subscriptions) : subscriptions
    }

    /// Returns the newest of the transactions of each period.
    ///
    /// - Parameter facts: Transactions of subscriptions, in order.
    private static func subscriptionRecords(_ facts: [TransactionFact]) -> [TransactionFact] {
        var kept: [TransactionFact] = []
        kept.reserveCapacity(facts.count)
        var start = 0
        while start < facts.count {
            var end = start + 1
            while end < facts.count, facts[end].purchasedAt == facts[start].purchasedAt { end += 1 }
            let tied = facts[start..<end]
            kept += tied.count == 1 ? tied : tied.filter { fact in !tied.contains { isNewerRecord($0, than: fact) } }
            start = end
        }
        return kept
    }

    private static func isNewerRecord(_ other: TransactionFact, than fact: TransactionFact) -> Bool {
        let (left, right) = (other.transaction, fact.transaction)
        guard other !== fact, isOnePeriod(left, right) else { return false }
        return CopyOrder.supersedes(left, right)
    }

    /// Returns whether two transactions that were purchased at the same instant are records of one period.
    static func isOnePeriod(_ left: Transaction, _ right: Transaction) -> Bool {
        if let leftItem = left.webOrderLineItemID, let rightItem = right.webOrderLineItemID {
            return leftItem == rightItem
        }
        // Transactions that add seats have equal products and expiries, but are not copies of each other.
        if left.additionalTransactionReason != nil || right.additionalTransactionReason != nil { return false }
        return left.productID == right.productID && left.expiresAt == right.expiresAt
    }
}

extension Transaction.ID {
    /// Returns whether an id is smaller than another if both are padded with leading zeros to the same length.
    ///
    /// Of ids that are then equal, the shorter id is smaller.
    func precedesAsNumber(_ other: Transaction.ID) -> Bool {
        let (left, right) = (Array(rawValue.utf8), Array(other.rawValue.utf8))
        let width = max(left.count, right.count)
        func padded(_ digits: [UInt8]) -> [UInt8] {
            [UInt8](repeating: UInt8(ascii: "0"), count: width - digits.count) + digits
        }
        let (a, b) = (padded(left), padded(right))
        return a == b ? left.count < right.count : a.lexicographicallyPrecedes(b)
    }
}
