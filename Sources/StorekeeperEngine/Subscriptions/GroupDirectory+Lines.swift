extension GroupDirectory {
    /// The part of one chain that belongs to one subscription group.
    struct Line {
        /// The transactions, newest last.
        let facts: [TransactionFact]
        /// The renewal infos of this line, paired with its transactions.
        let pairing: RenewalPairing

        /// The newest renewal info about the last transaction.
        var lastInfo: RenewalInfo? { places.last.flatMap { pairing.infos(at: $0).last?.renewalInfo } }

        /// The periods of the line, newest last, each with the periods before and after it.
        var places: [RenewalPairing.Place] {
            var places: [RenewalPairing.Place] = []
            for period in BilledPeriods(facts) {
                let former = places.last?.period
                if !places.isEmpty { places[places.count - 1].next = period }
                places.append(RenewalPairing.Place(former: former, period: period))
            }
            return places
        }
    }

    /// Returns the lines of service of a chain: one for each group that contains products of the chain, usually one.
    ///
    /// The App Store has one chain per group. If the transactions of a chain nevertheless belong to several groups, the
    /// end of service in one group does not end service in another.
    func lines(of chain: PurchaseChain, pairing: RenewalPairing) -> [Line] {
        let facts = chain.subscriptionRecords
        guard isSplit(chain.subscriptions.map(\.productID)) else {
            return facts.isEmpty ? [] : [Line(facts: facts, pairing: pairing)]
        }
        let infos = pairing.infos
        let rest = groups(of: chain.subscriptions.map(\.productID)).min()
        let parts = Dictionary(grouping: facts) { index(ofProduct: $0.productID) ?? rest }
        let owners = infos.map { group(ofInfo: $0.renewalInfo, among: parts) }
        return parts.map { group, facts in
            let own = zip(infos, owners).lazy.filter { $0.1 == group }.map(\.0)
            // A state is about the line whose transaction was the newest of the chain at that time.
            let statuses = pairing.statuses.filter { status in
                let newest = chain.subscriptionRecords.last { $0.purchasedAt <= status.signedAt }
                return newest.map { (index(ofProduct: $0.productID) ?? rest) == group } ?? false
            }
            return Line(facts: facts, pairing: RenewalPairing(Array(own), statuses: statuses))
        }
    }

    /// Returns whether products are in several groups.
    private func isSplit(_ productIDs: [Product.ID]) -> Bool {
        productIDs.count > 1 && groups(of: productIDs).count > 1
    }

    /// Returns the index of the group of a line of service; `nil` if no product of the line has a known group.
    func group(of line: SubscriptionChain) -> Int? { groups(of: line.tracks.map(\.productID)).min() }

    private func groups(of productIDs: [Product.ID]) -> Set<Int> {
        Set(productIDs.lazy.compactMap { index(ofProduct: $0) })
    }

    /// Returns the group of the line of service that a renewal info applies to.
    ///
    /// This is the group of the product that the info names, or the group of the newest transaction if no line of the
    /// chain contains that product.
    private func group(ofInfo info: RenewalInfo, among parts: [Int?: [TransactionFact]]) -> Int? {
        for productID in [info.currentProductID, info.autoRenewProductID] {
            if let group = productID.flatMap({ index(ofProduct: $0) }), parts[group] != nil { return group }
        }
        let newest = parts.compactMapValues(\.last).max { PurchaseChain.precedes($0.value, $1.value) }
        return newest?.key
    }
}
