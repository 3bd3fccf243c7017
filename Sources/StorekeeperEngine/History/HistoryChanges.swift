/// The changes that a batch of evidence made to a history.
package struct HistoryChanges {
    /// A transaction that was added.
    struct Fact {
        let fact: TransactionFact
        /// The copy it replaced; `nil` if the transaction was not known.
        let replaced: TransactionFact?

        /// The chain that it belongs to.
        var chain: PurchaseChain.ID { PurchaseChain.ID(fact.transaction) }
    }

    /// Whether the history learned a fact, for each piece of the batch.
    var isNew: [Bool] = []
    /// The transactions that were added, in the order of the batch; a newer copy in it follows an older one.
    var facts: [Fact] = []
    /// The keys of the renewal infos that were added, and when the first of each was signed.
    private(set) var renewalInfos: [RenewalInfoKey: Instant] = [:]
    /// The products that unverified evidence names for the first time.
    var changedProductIDs: Set<Product.ID> = []

    /// Records a renewal info that was added.
    mutating func record(_ info: RenewalInfo) {
        let key = RenewalInfoKey(info)
        renewalInfos[key] = min(renewalInfos[key] ?? info.signedAt, info.signedAt)
    }
}
