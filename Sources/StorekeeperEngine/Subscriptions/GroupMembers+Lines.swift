extension GroupMembers {
    /// The part of one chain that belongs to one subscription group.
    struct Line {
        /// The transactions, newest last, one per period.
        let facts: LeafArray<TransactionFact>
        /// The renewal infos of this line, paired with its transactions.
        let pairing: RenewalPairing

        /// The renewal info and the grace period that apply after the last transaction.
        var outlook: RenewalOutlook? { facts.isEmpty ? nil : pairing.outlook(at: place(at: facts.count - 1)) }

        /// Returns a transaction of the line, with the transactions before and after it.
        func place(at index: Int) -> RenewalPairing.Place {
            RenewalPairing.Place(
                former: index > 0 ? facts[index - 1] : nil, fact: facts[index],
                next: index + 1 < facts.count ? facts[index + 1] : nil)
        }
    }

    /// Returns the lines of service of a chain: one for each group that contains products of the chain, usually one.
    ///
    /// The App Store has one chain per group. If the transactions of a chain nevertheless belong to several groups, the
    /// end of service in one group does not end service in another.
    func lines(of chain: PurchaseChain, infos: LeafArray<RenewalInfoFact>) -> [Line] {
        let facts = chain.periods
        guard isSplit(chain.subscriptions.map(\.productID)) else {
            return facts.isEmpty ? [] : [Line(facts: facts, pairing: RenewalPairing(infos))]
        }
        let rest = groups(of: chain.subscriptions.map(\.productID)).min()
        let parts = Dictionary(grouping: facts) { directory.index(ofProduct: $0.productID) ?? rest }
        let owners = infos.map { group(ofInfo: $0.renewalInfo, among: parts) }
        return parts.map { group, facts in
            let own = zip(infos, owners).lazy.filter { $0.1 == group }.map(\.0)
            return Line(facts: LeafArray(facts), pairing: RenewalPairing(LeafArray(own)))
        }
    }

    /// Returns whether products are in several groups.
    func isSplit(_ productIDs: [Product.ID]) -> Bool { productIDs.count > 1 && groups(of: productIDs).count > 1 }

    private func groups(of productIDs: [Product.ID]) -> Set<Int> {
        Set(productIDs.lazy.compactMap { directory.index(ofProduct: $0) })
    }

    /// Returns the group of the line of service that a renewal info applies to.
    ///
    /// This is the group of the product that the info names, or the group of the newest transaction if no line of the
    /// chain contains that product.
    private func group(ofInfo info: RenewalInfo, among parts: [Int?: [TransactionFact]]) -> Int? {
        for productID in [info.currentProductID, info.autoRenewProductID] {
            if let group = productID.flatMap({ directory.index(ofProduct: $0) }), parts[group] != nil { return group }
        }
        let newest = parts.compactMapValues(\.last).max { PurchaseChain.precedes($0.value, $1.value) }
        return newest?.key
    }
}
