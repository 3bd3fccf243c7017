extension GroupMembers {
    /// What one chain holds of one subscription group.
    struct Line {
        /// The transactions, the newest last, each period once.
        let facts: LeafArray<TransactionFact>
        /// The renewal info, where it speaks of this line.
        let info: RenewalInfoFact?
    }

    /// The lines of service of a chain: one for each group that its products are in, mostly one.
    ///
    /// The App Store has one chain a group. Where records say otherwise, what ends in one group ends nothing in another.
    func lines(of chain: PurchaseChain, info: RenewalInfoFact?) -> [Line] {
        let facts = chain.periods
        guard isSplit(chain.subscriptions.map(\.productID)) else {
            return facts.isEmpty ? [] : [Line(facts: facts, info: info)]
        }
        let rest = groups(of: chain.subscriptions.map(\.productID)).min()
        let parts = Dictionary(grouping: facts) { directory.index(ofProduct: $0.productID) ?? rest }
        let owner = info.flatMap { group(ofInfo: $0.renewalInfo, among: parts) }
        return parts.map { group, facts in
            Line(facts: LeafArray(facts), info: group == owner ? info : nil)
        }
    }

    /// Whether products are in several groups.
    func isSplit(_ productIDs: [Product.ID]) -> Bool { productIDs.count > 1 && groups(of: productIDs).count > 1 }

    private func groups(of productIDs: [Product.ID]) -> Set<Int> {
        Set(productIDs.lazy.compactMap { directory.index(ofProduct: $0) })
    }

    /// The group of the line that a renewal info speaks of: that of the product it names, else that of the newest
    /// transaction.
    private func group(ofInfo info: RenewalInfo, among parts: [Int?: [TransactionFact]]) -> Int? {
        for productID in [info.currentProductID, info.autoRenewProductID] {
            if let group = productID.flatMap({ directory.index(ofProduct: $0) }), parts[group] != nil { return group }
        }
        let newest = parts.compactMapValues(\.last).max { PurchaseChain.precedes($0.value, $1.value) }
        return newest?.key
    }
}
