/// What taking in a batch of evidence did to a history.
package struct HistoryChanges {
    /// A transaction that was taken in.
    struct Fact {
        let fact: TransactionFact
        /// The copy whose place it took; `nil` where the transaction was not known.
        let replaced: TransactionFact?

        /// The chain that it belongs to.
        var chain: PurchaseChain.ID { PurchaseChain.ID(fact.transaction) }
    }

    /// For each piece of the batch, whether the history learned a fact from it.
    var isNew: [Bool] = []
    /// The transactions that were taken in, in the order of the batch; a newer copy in it follows an older one.
    var facts: [Fact] = []
    /// Of what there are renewal infos that were taken in, and when the first of them was signed.
    private(set) var renewalInfos: [RenewalInfoKey: Instant] = [:]
    /// Products of evidence that was not believed, of which there had been none.
    var notedProductIDs: Set<Product.ID> = []

    /// Notes a renewal info that was taken in.
    mutating func note(_ info: RenewalInfo) {
        let key = RenewalInfoKey(info)
        renewalInfos[key] = min(renewalInfos[key] ?? info.signedAt, info.signedAt)
    }
}
