/// Adds new facts to a resolution by computing only the chains, products and groups that the facts belong to.
///
/// If the facts may move other chains or products to other groups or types, or if a chain is new or has a new product, the
/// whole history must be resolved again.
struct ResolutionUpdate {
    private let history: PurchaseHistory
    /// The products that change, each with the first instant at which its answer may change.
    private var products: [Product.ID: Instant] = [:]
    /// The groups that change, as indices of the directory, each with the first instant at which a status may change.
    private var groups: [Int: Instant] = [:]
    private var balances: Set<BalanceID> = []

    private init(_ history: PurchaseHistory) { self.history = history }

    /// Updates a resolution.
    ///
    /// - Returns: `true` if the update succeeded; `false` if the whole history must be resolved again.
    static func apply(
        _ changes: HistoryChanges, of history: PurchaseHistory, to state: inout ResolutionState
    ) -> Bool {
        var update = ResolutionUpdate(history)
        for id in changes.changedProductIDs {
            if history.refusedProductIDs.contains(id) { state.refused.insert(id) }
            update.products[id] = .distantPast
        }
        var chains: [PurchaseChain.ID: [HistoryChanges.Fact]] = [:]
        for change in changes.facts {
            guard state.remainsValid(after: change) else { return false }
            let isRenewing = change.fact.transaction.productType == .autoRenewable
            guard state.resolver.policy.rule(for: change.chain.environment) == state.rule else {
                if ResolutionState.isRefusable(change.fact), state.refused.insert(change.fact.productID).inserted {
                    update.products[change.fact.productID] = .distantPast
                }
                continue
            }
            if !isRenewing { update.applyOneTime(change, &state) }
            // A one-time purchase may have the app transaction id of a renewal info, which then belongs to the chain.
            if isRenewing || state.chains[change.chain] != nil { chains[change.chain, default: []].append(change) }
        }
        if !changes.renewalInfos.isEmpty {
            for id in state.chains.keys
            where chains[id] == nil && changes.renewalInfos[RenewalInfoKey(id)] != nil { chains[id] = [] }
        }
        for (id, facts) in chains {
            let infosFrom = changes.renewalInfos[RenewalInfoKey(id)]
            guard update.applyChain(id, facts, infosFrom: infosFrom, &state) else { return false }
        }
        update.makeTimelines(&state)
        state.recordProof(of: history)
        if changes.hasAppTransaction { update.makePaidAppFeatures(&state) }
        return true
    }

    // MARK: Facts

    private mutating func applyOneTime(_ change: HistoryChanges.Fact, _ state: inout ResolutionState) {
        let id = change.fact.productID
        products[id] = .distantPast
        if let replaced = change.replaced {
            state.evidence[id]?.replace(replaced, by: change.fact)
        } else {
            state.evidence[id, default: ProductEvidence()].add(change.fact)
        }
        guard change.fact.transaction.productType == .consumable, !state.conflictingIDs.contains(id),
            [change.fact, change.replaced].contains(where: { $0.map(state.isEntitling) ?? false })
        else { return }
        balances.formUnion(state.resolver.catalog.grants(of: id).keys)
    }

    /// Computes the answers of a chain that has changed.
    ///
    /// - Parameter infosFrom: The signing time of the first of the new renewal infos; `nil` if no info is new.
    /// - Returns: `false` if the chain is new, or if it has other products, groups or app transaction ids than before.
    private mutating func applyChain(
        _ id: PurchaseChain.ID, _ changes: [HistoryChanges.Fact], infosFrom: Instant?,
        _ state: inout ResolutionState
    ) -> Bool {
        guard let chain = history.chains[id], let known = state.chains[id], known.isOfSameProducts(as: chain),
            state.replaced.contains(chain, id) == known.isReplaced
        else { return false }
        var from = Instant.distantPast
        if known.lines.count == 1, let start = firstAffected(by: changes, infosFrom: infosFrom, in: chain) {
            from = chain.facts[start].purchasedAt
            state.chains[id]?.lines[0].resolveEnd(
                chain.facts[start...], after: chain.facts[start - 1], pairing: history.pairing(of: id),
                resolver: state.resolver)
        } else {
            state.chains[id] = state.resolved(chain, id, in: history)
        }
        for line in state.chains[id]?.lines ?? [] {
            for track in line.tracks { products[track.productID] = min(products[track.productID] ?? from, from) }
            if let group = state.groups.group(of: line) { groups[group] = min(groups[group] ?? from, from) }
        }
        return true
    }

    /// Returns the index of the first transaction of a chain whose answers may change; `nil` if the answers of all
    /// transactions may change.
    private func firstAffected(
        by changes: [HistoryChanges.Fact], infosFrom: Instant?, in chain: PurchaseChain
    ) -> Int? {
        let isMoved = changes.contains { change in
            change.replaced.map { $0.purchasedAt != change.fact.purchasedAt } ?? false
        }
        guard chain.hasOneTransactionPerPeriod, !isMoved else { return nil }
        let firstChanged = changes.lazy.compactMap { chain.index(of: $0.fact) }.min() ?? chain.facts.count
        // An info applies to the transaction that was current when the info was signed, or to the next transaction.
        let firstOfInfos = infosFrom.map { chain.count(begunBy: $0) - 1 } ?? chain.facts.count
        // The answers of a transaction depend on its successor.
        let first = min(firstChanged - 1, firstOfInfos)
        return first < 1 ? nil : first
    }

    // MARK: Timelines

    /// Builds the timelines that change, each from the instant of the change on.
    private func makeTimelines(_ state: inout ResolutionState) {
        let catalog = state.resolver.catalog
        var features: [Int: Instant] = [:]
        for (id, from) in products {
            let old = state.resolution.productTimelines[id]
            let new = state.productTimeline(
                of: id, doubtful: history.doubtfulProductIDs,
                after: old.map { Overlay.Earlier(timeline: $0.timeline, holdsUntil: from) })
            state.resolution.productTimelines[id] = new
            if state.isConsumable(id) {
                state.resolution.consumableIDs.insert(id)
            } else {
                state.resolution.consumableIDs.remove(id)
            }
            // Adding or removing a product shifts the positions of the following products in a feature, so the whole
            // feature is rebuilt.
            let start = (old == nil) == (new == nil) ? from : .distantPast
            for (index, feature) in catalog.features.enumerated() where feature.productIDs.contains(id) {
                features[index] = min(features[index] ?? start, start)
                guard feature.paidPeriods else { continue }
                state.resolution.paidProducts[id] = state.productTimeline(
                    of: id, doubtful: history.doubtfulProductIDs, paidPeriods: true)
            }
        }
        for (index, from) in features {
            state.resolution.features[index] = FeatureTimeline(
                catalog.features[index], in: state.resolution,
                after: Overlay.Earlier(timeline: state.resolution.features[index].timeline, holdsUntil: from))
        }
        for (index, from) in groups {
            state.resolution.groups[index] = state.groupTimeline(
                index, after: Overlay.Earlier(timeline: state.resolution.groups[index].highest, holdsUntil: from))
        }
        for balance in balances { makeBalance(balance, &state) }
    }

    private func makeBalance(_ id: BalanceID, _ state: inout ResolutionState) {
        let timeline = state.balanceTimeline(id)
        let balances = state.resolution.balances
        let place = balances.firstIndex { $0.id >= id } ?? balances.count
        if place < balances.count, balances[place].id == id {
            state.resolution.balances[place] = timeline
        } else {
            state.resolution.balances.insert(timeline, at: place)
        }
    }

    /// Rebuilds the features that customers of the paid app have; app transactions seldom change.
    private func makePaidAppFeatures(_ state: inout ResolutionState) {
        state.resolution.paidApps = state.paidApps(in: history)
        for (index, feature) in state.resolver.catalog.features.enumerated() where feature.isForPaidApp {
            state.resolution.features[index] = FeatureTimeline(feature, in: state.resolution)
        }
    }
}

extension ResolutionState {
    /// Returns whether the products, types, groups and predecessors that were known before a change remain.
    ///
    /// They do not if a copy of a transaction differs from an older copy in the product, type, group or chain; if a
    /// transaction contradicts the catalog about the type of its product for the first time; or if a chain names another
    /// chain as its predecessor for the first time.
    fileprivate func remainsValid(after change: HistoryChanges.Fact) -> Bool {
        if let old = change.replaced, !change.fact.isOfSameLine(as: old) { return false }
        let previous = change.fact.transaction.previousOriginalTransactionID
        if previous != change.replaced?.transaction.previousOriginalTransactionID,
            change.replaced != nil || previous.map({ replaced.names($0, by: change.chain) }) == false
        {
            return false
        }
        return resolver.policy.rule(for: change.chain.environment) != rule
            || conflictingIDs.contains(change.fact.productID)
            || !resolver.catalog.contradicts(change.fact.transaction.productType, of: change.fact.productID)
    }
}
