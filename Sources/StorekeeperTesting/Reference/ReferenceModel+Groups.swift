public import Storekeeper

/// A subscription group of the catalog or the evidence.
struct ReferenceGroup {
    var id: SubscriptionGroup.ID
    /// All ids that the catalog and the evidence use for the group.
    var names: Set<SubscriptionGroup.ID>
    var products: Set<Product.ID>
}

extension ReferenceModel {
    /// The sorted ids of all subscription groups of the catalog and the evidence, without duplicates.
    public var groupIDs: [SubscriptionGroup.ID] { groups.map(\.id).sorted() }

    /// Returns the status of every chain that has begun, sorted by group, chain and environment.
    public func statuses(at instant: Instant) -> [ReferenceStatus] {
        situations(at: instant).map { status(of: $0, at: instant) }
            .sorted {
                ($0.groupID ?? "", $0.originalTransactionID, $0.environment)
                    < ($1.groupID ?? "", $1.originalTransactionID, $1.environment)
            }
    }

    /// Returns the situation of every chain that has begun, except chains whose current product has conflicting types.
    private func situations(at instant: Instant) -> [ReferenceSituation] {
        chains.compactMap { situation(of: $0, at: instant) }.filter { !isConflicting($0.current.productID) }
    }

    /// Returns the status of the chain with the highest service in a group.
    ///
    /// If no chain gives access, returns the status with the best state, for example billing retry rather than expired.
    ///
    /// - Returns: The status; `nil` if no chain of the group has begun.
    public func highest(group groupID: SubscriptionGroup.ID, at instant: Instant) -> ReferenceStatus? {
        best(situations(at: instant, group: groupID)).map { status(of: $0, at: instant) }
    }

    /// Returns the situation of every chain of a group that has begun.
    func situations(at instant: Instant, group groupID: SubscriptionGroup.ID) -> [ReferenceSituation] {
        situations(at: instant).filter { self.groupID(of: $0.current) == groupID }
    }

    /// Returns the situation with the highest service.
    ///
    /// If no situation gives access, returns the situation with the best state, for example billing retry rather than
    /// expired.
    func best(_ situations: [ReferenceSituation]) -> ReferenceSituation? {
        func isBetter(_ left: ReferenceSituation, than right: ReferenceSituation) -> Bool {
            let (isEntitled, other) = (left.verdict.answer == "entitled", right.verdict.answer == "entitled")
            if isEntitled != other { return isEntitled }
            if !isEntitled {
                let rank = ReferenceVerdict.rank(of: left.verdict.state)
                let otherRank = ReferenceVerdict.rank(of: right.verdict.state)
                if rank != otherRank { return rank < otherRank }
            }
            let (level, otherLevel) = (level(of: left.current) ?? .max, level(of: right.current) ?? .max)
            if level != otherLevel { return level < otherLevel }
            return ReferenceVerdict.isBetter(left.verdict, than: right.verdict) == true
        }
        return situations.reduce(nil as ReferenceSituation?) { best, next in
            guard let best else { return next }
            return isBetter(next, than: best) ? next : best
        }
    }

    /// Returns the level of a transaction's product, of which 1 is the highest; `nil` if the catalog does not contain
    /// the level.
    func level(of transaction: ReferenceFact) -> Int? {
        catalog.product(transaction.productID)?.subscription?.groupLevel
    }

    private func status(of situation: ReferenceSituation, at instant: Instant) -> ReferenceStatus {
        let current = situation.current
        let state = situation.verdict.state
        var status = ReferenceStatus(
            groupID: groupID(of: current),
            originalTransactionID: current.originalID.rawValue,
            environment: current.environment.rawValue, transactionID: current.id.rawValue,
            productID: current.productID, state: state, entitled: situation.verdict.answer == "entitled",
            groupLevel: level(of: current),
            ownership: Self.word(for: current.ownershipType))
        status.expires = current.expiresAt
        status.gracePeriodExpires = situation.graceEnd
        if let info = situation.info {
            status.willAutoRenew = Self.willAutoRenew(info)
            status.autoRenewProductID = info.autoRenewProductID
            status.inBillingRetry = situation.failure?.billingRetryFlag == true && instant < situation.retryEnd
        }
        let reason = situation.failure?.expirationReason
        switch state {
        case "expired": status.expirationReason = Self.word(for: reason)
        case "inGracePeriod", "inBillingRetryPeriod": status.expirationReason = reason.map(Self.word(for:))
        default: break
        }
        return status
    }

    private static func willAutoRenew(_ info: RenewalInfo) -> Bool? {
        switch info.autoRenewStatus?.rawValue {
        case 0: false
        case 1: true
        default: nil
        }
    }

    private static func word(for reason: ExpirationReason?) -> String {
        switch reason?.rawValue {
        case 1: "autoRenewDisabled"
        case 2: "billingError"
        case 3: "didNotConsentToPriceIncrease"
        case 4: "productUnavailable"
        case 6: "unbundled"
        default: "unknown"
        }
    }

    private func groupID(of transaction: ReferenceFact) -> SubscriptionGroup.ID? {
        ownGroupID(of: transaction) ?? groupID(ofChainOf: transaction)
    }

    private func ownGroupID(of transaction: ReferenceFact) -> SubscriptionGroup.ID? {
        groups.first { group in
            group.products.contains(transaction.productID)
                || transaction.subscriptionGroupID.map(group.names.contains) == true
        }?.id
    }

    /// Returns the group of the other products in a transaction's chain.
    ///
    /// The function is called if the transaction's own product is not in a group.
    private func groupID(ofChainOf transaction: ReferenceFact) -> SubscriptionGroup.ID? {
        chains.first { chain in chain.facts.contains { $0.id == transaction.id && Self.isOneChain($0, transaction) } }?
            .facts.lazy.compactMap { ownGroupID(of: $0) }.first
    }

    /// Returns the subscription groups.
    ///
    /// Groups that have a product or an id in common are one group.
    static func groups(of transactions: [ReferenceFact], catalog: Catalog) -> [ReferenceGroup] {
        var sets: [(names: Set<SubscriptionGroup.ID>, products: Set<Product.ID>)] = []
        func add(_ name: SubscriptionGroup.ID, _ products: [Product.ID]) {
            var merged = (names: Set([name]), products: Set(products))
            sets.removeAll { other in
                guard !other.names.isDisjoint(with: merged.names) || !other.products.isDisjoint(with: merged.products)
                else { return false }
                merged.names.formUnion(other.names)
                merged.products.formUnion(other.products)
                return true
            }
            sets.append(merged)
        }
        let subscriptions = transactions.filter { $0.productType == .autoRenewable }
        for group in catalog.groups { add(group.id, group.productIDs) }
        for product in catalog.products {
            if let name = product.subscription?.subscriptionGroupID { add(name, [product.id]) }
        }
        for transaction in subscriptions {
            // A transaction from a receipt does not name its group, so the group of another transaction of the chain is
            // used.
            let name =
                transaction.subscriptionGroupID
                ?? subscriptions.filter { isOneChain($0, transaction) }.compactMap(\.subscriptionGroupID).max()
            if let name { add(name, [transaction.productID]) }
        }
        return sets.map { set in
            let inEvidence = subscriptions.filter { $0.subscriptionGroupID.map(set.names.contains) == true }
                .map { (rank(of: $0.environment), $0.subscriptionGroupID ?? "") }
                .min { $0 < $1 }
            let inCatalog = catalog.groups.first { set.names.contains($0.id) }?.id
            return ReferenceGroup(
                id: inEvidence?.1 ?? inCatalog ?? set.names.min() ?? "", names: set.names, products: set.products)
        }
    }
}
