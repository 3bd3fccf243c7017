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
    /// The keys of the added renewal infos and states, each with the earliest signing time of those with this key.
    private(set) var renewalInfos: [RenewalInfoKey: Instant] = [:]
    /// The products that unverified evidence names for the first time.
    var changedProductIDs: Set<Product.ID> = []
    /// Whether an app transaction was added.
    var hasAppTransaction = false

    /// Records a renewal info that was added.
    mutating func record(_ info: RenewalInfo) { record(RenewalInfoKey(info), signedAt: info.signedAt) }

    /// Records a state of a subscription that was added; it changes answers as a renewal info does.
    mutating func record(_ status: ReportedStatus) {
        record(RenewalInfoKey(ChainID(status)), signedAt: status.signedAt)
    }

    private mutating func record(_ key: RenewalInfoKey, signedAt: Instant) {
        renewalInfos[key] = min(renewalInfos[key] ?? signedAt, signedAt)
    }
}
