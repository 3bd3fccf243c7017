/// One purchase of a non-consumable, with all its records: the transactions that share one original transaction.
///
/// Restoring a purchase creates another record with its own id. After a refund, the App Store may not sign every record
/// again. Therefore the original record determines whether the product is owned.
struct NonConsumablePurchase {
    /// The newest copy of each record, in no particular order.
    private(set) var records: [TransactionFact]
    /// The record that determines the answer: the original record, or the record signed last if the original record is
    /// not known.
    private(set) var decider: TransactionFact
    /// The earliest purchase date of the records.
    private(set) var boughtAt: Instant

    private init(_ fact: TransactionFact) {
        records = [fact]
        decider = fact
        boughtAt = fact.purchasedAt
    }

    /// Returns the purchases that the records of one product form, in the order of their first records.
    static func purchases(_ facts: some Sequence<TransactionFact>) -> [NonConsumablePurchase] {
        var purchases: [NonConsumablePurchase] = []
        var places: [ChainID: Int] = [:]
        for fact in facts {
            let chain = ChainID(fact.transaction)
            if let place = places[chain] {
                purchases[place].add(fact)
            } else {
                places[chain] = purchases.count
                purchases.append(NonConsumablePurchase(fact))
            }
        }
        return purchases
    }

    private mutating func add(_ fact: TransactionFact) {
        records.append(fact)
        boughtAt = min(boughtAt, fact.purchasedAt)
        let (isOriginal, hasOriginal) = (Self.isOriginal(fact), Self.isOriginal(decider))
        if isOriginal || !hasOriginal && CopyOrder.supersedes(fact.transaction, decider.transaction) { decider = fact }
    }

    /// Returns whether a record is the original purchase.
    static func isOriginal(_ fact: TransactionFact) -> Bool { fact.transaction.id == fact.transaction.originalID }
}
