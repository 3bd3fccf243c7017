/// The changes that a batch of evidence made to a history.
package struct HistoryChanges {
    /// A transaction that was added.
    struct Fact {
        let fact: TransactionFact
        /// The older copy that the added copy replaced; `nil` if the transaction was not known.
        let replaced: TransactionFact?

        /// The chain of the transaction.
        var chain: PurchaseChain.ID { PurchaseChain.ID(fact.transaction) }
    }

    /// For each item of the batch, in order, whether the item added a fact to the history.
    var isNew: [Bool] = []
    /// The transactions that were added, in the order of the batch.
    ///
    /// If the batch has a copy of a transaction and later a newer copy, the list contains both copies.
    var facts: [Fact] = []
    /// The keys of the added renewal infos, each with the earliest signing time of the added infos with this key.
    private(set) var renewalInfos: [RenewalInfoKey: Instant] = [:]
    /// The products that unverified evidence names for the first time.
    var changedProductIDs: Set<Product.ID> = []

    /// Records a renewal info that was added.
    mutating func record(_ info: RenewalInfo) {
        let key = RenewalInfoKey(info)
        renewalInfos[key] = min(renewalInfos[key] ?? info.signedAt, info.signedAt)
    }
}
