/// Adds new facts to a resolution, and changes only the timelines that the facts affect.
struct ResolutionUpdate {
    /// The change that the update makes to the timeline of a product.
    struct TimelineChange {
        var from: Instant
        /// The number of sources from which the timeline was built before the update.
        let sourceCount: Int
    }

    let history: PurchaseHistory
    private(set) var products: [Product.ID: TimelineChange] = [:]
    /// The indices of the chains that changed, each with the instant from which the chain changes.
    private(set) var lines: [Int: Instant] = [:]
    /// The balances to rebuild.
    private(set) var staleBalances: Set<BalanceID> = []
    /// Whether the whole history must be resolved again.
    ///
    /// The history must be resolved again in four cases: a copy of a transaction differs from an older copy in the
    /// product, type, group or chain; a transaction contradicts the catalog about the type of its product for the first
    /// time; a chain names another chain as its predecessor for the first time; or a chain is in several groups.
    private var isContradicted = false

    private init(_ history: PurchaseHistory) { self.history = history }

    /// Updates a resolution.
    ///
    /// - Returns: `true` if the update succeeded; `false` if the whole history must be resolved again.
    static func apply(
        _ changes: HistoryChanges, of history: PurchaseHistory, to state: inout ResolutionState
    ) -> Bool {
        var update = ResolutionUpdate(history)
        state.recordProof(of: history)
        for id in changes.changedProductIDs {
            if history.refusedProductIDs.contains(id) { state.refused.insert(id) }
            update.recordChange(id, from: .distantPast, in: state)
        }
        if !changes.facts.isEmpty || !changes.renewalInfos.isEmpty { update.apply(changes, &state) }
        guard !update.isContradicted else { return false }
        update.finish(&state)
        if changes.hasAppTransaction { update.makePaidAppFeatures(&state) }
        return true
    }

    /// Replaces the pending purchases.
    static func setPending(
        _ pending: PendingSources, of history: PurchaseHistory, in state: inout ResolutionState
    ) {
        var update = ResolutionUpdate(history)
        for difference in pending.differences(from: state.pending) {
            update.recordChange(difference.id, from: difference.from, in: state)
        }
        state.pending = pending
        update.finish(&state)
    }

    /// Records that the timeline of a product changes from an instant on.
    ///
    /// This method must be called before the evidence, the pending purchases or the grants of the product change.
    private mutating func recordChange(_ id: Product.ID, from instant: Instant, in state: ResolutionState) {
        if let known = products[id] {
            if instant < known.from { products[id]?.from = instant }
        } else if let evidence = state.evidence[id], evidence.type != .consumable {
            products[id] = TimelineChange(
                from: instant,
                sourceCount: evidence.sourceCount + state.pending.count(of: id) + state.grants.count(of: .product(id)))
        } else {
            products[id] = TimelineChange(from: .distantPast, sourceCount: 0)
        }
    }

    // MARK: Facts

    private mutating func apply(_ changes: HistoryChanges, _ state: inout ResolutionState) {
        if state.lookup == nil { state.lookup = UpdateLookup(state) }
        var chains: [PurchaseChain.ID: [HistoryChanges.Fact]] = [:]
        for change in changes.facts {
            if let replaced = change.replaced, !change.fact.isOfSameLine(as: replaced) {
                isContradicted = true
                return
            }
            let previous = change.fact.transaction.previousOriginalTransactionID
            if previous != change.replaced?.transaction.previousOriginalTransactionID,
                change.replaced != nil || previous.map({ state.replaced.names($0, by: change.chain) }) == false
            {
                isContradicted = true
                return
            }
            guard state.resolver.policy.rule(for: change.chain.environment) == state.rule else {
                if ResolutionState.isRefusable(change.fact), state.refused.insert(change.fact.productID).inserted {
                    recordChange(change.fact.productID, from: .distantPast, in: state)
                }
                continue
            }
            if !state.conflictingIDs.contains(change.fact.productID),
                state.resolver.catalog.contradicts(
                    change.fact.transaction.productType, of: change.fact.productID)
            {
                isContradicted = true
                return
            }
            if change.fact.transaction.productType == .autoRenewable {
                chains[change.chain, default: []].append(change)
            } else {
                applyOneTime(change, &state)
                // The purchase may have the app transaction id of a renewal info, which then belongs to the chain of
                // the purchase.
                if state.lookup?.line(change.chain, in: state.lines) != nil {
                    chains[change.chain, default: []].append(change)
                }
            }
        }
        for key in changes.renewalInfos.keys {
            for line in state.lookup?.lines(key) ?? [] where chains[state.lines[line].id] == nil {
                chains[state.lines[line].id] = []
            }
        }
        if state.hasSplitChains, !chains.isEmpty { isContradicted = true }
        for (id, facts) in chains where !isContradicted {
            applyChain(id, facts, infosFrom: changes.renewalInfos[RenewalInfoKey(id)], &state)
        }
        // Group ids in one chain may put products of another chain into several groups.
        let suspects = state.groups.rebuildDirectory() ? Array(state.lines.indices) : Array(lines.keys)
        if suspects.contains(where: { state.groups.isSplit(state.lines[$0].chain.tracks.map(\.productID)) }) {
            isContradicted = true
        }
    }

    private mutating func applyOneTime(_ change: HistoryChanges.Fact, _ state: inout ResolutionState) {
        let id = change.fact.productID
        if change.fact.transaction.productType == .consumable {
            // The first evidence of a product determines its type, so the whole timeline may change.
            if state.evidence[id] == nil { recordChange(id, from: .distantPast, in: state) }
            recordMovements(change, &state)
        } else {
            recordChange(id, from: beginning(of: change), in: state)
        }
        if let replaced = change.replaced {
            state.evidence[id]?.replace(replaced, by: change.fact)
        } else {
            state.evidence[id, default: ProductEvidence()].add(change.fact)
        }
    }

    /// Returns the instant from which a one-time purchase may change answers: the purchase date of its earliest record.
    private func beginning(of change: HistoryChanges.Fact) -> Instant {
        let fact = change.fact
        var beginning = min(fact.purchasedAt, change.replaced?.purchasedAt ?? fact.purchasedAt)
        guard fact.transaction.productType == .nonConsumable, let chain = history.chains[change.chain] else {
            return beginning
        }
        for record in chain.facts where record.productID == fact.productID {
            beginning = min(beginning, record.purchasedAt)
        }
        return beginning
    }

    /// Adds a consumable's credits and debits to the balances; a balance is rebuilt if a credit or debit is earlier
    /// than the last credit or debit that is known.
    private mutating func recordMovements(_ change: HistoryChanges.Fact, _ state: inout ResolutionState) {
        guard !state.conflictingIDs.contains(change.fact.productID) else { return }
        for (balance, grant) in state.resolver.catalog.grants(of: change.fact.productID) {
            func movements(of fact: TransactionFact?) -> [BalanceTimeline.Movement] {
                var movements: [BalanceTimeline.Movement] = []
                if let fact, state.isEntitling(fact) {
                    BalanceTimeline.appendMovements(of: fact, grant: grant, to: &movements)
                }
                return movements
            }
            let (old, new) = (movements(of: change.replaced), movements(of: change.fact))
            guard old != new, !staleBalances.contains(balance) else { continue }
            guard let index = state.resolution.balances.firstIndex(where: { $0.id == balance }),
                new.starts(with: old),
                new.dropFirst(old.count).allSatisfy({ state.resolution.balances[index].append($0) })
            else {
                staleBalances.insert(balance)
                continue
            }
        }
    }

    // MARK: Chains

    private mutating func applyChain(
        _ id: PurchaseChain.ID, _ changes: [HistoryChanges.Fact], infosFrom: Instant?,
        _ state: inout ResolutionState
    ) {
        guard let chain = history.chains[id] else { return }
        let pairing = history.pairing(of: id)
        if let line = state.lookup?.line(id, in: state.lines) {
            let listed = state.lines[line].listed
            if state.replaced.contains(chain, id) != state.lines[line].chain.isReplaced { isContradicted = true }
            // With a new app transaction id in the chain, renewal infos of any age may belong to the chain.
            let hasOtherInfos = chain.downloads != listed.downloads && !pairing.infos.isEmpty
            if chain.subscriptions.count != listed.count || chain.downloads != listed.downloads {
                if GroupMembers.Listed(chain).contradicts(listed) { isContradicted = true }
                state.groups.add(chain, id: id)
                state.lines[line].listed = GroupMembers.Listed(chain)
            }
            resolveFurther(
                line, chain, pairing, changes, infosFrom: hasOtherInfos ? .distantPast : infosFrom, &state)
        } else {
            let subscription = chain.subscriptionRecords
            guard let first = subscription.first else { return }
            let line = state.add(
                GroupChain(
                    id: id,
                    chain: SubscriptionChain(
                        subscription, pairing: pairing, resolver: state.resolver,
                        isReplaced: state.replaced.contains(chain, id)),
                    listed: GroupMembers.Listed(chain)))
            state.lookup?.add(line, id)
            state.groups.add(chain, id: id)
            // If the only known transaction of the chain is a renewal, access begins at its purchase date or at its
            // signature, whichever is earlier.
            recordChange(line, from: min(first.purchasedAt, first.signedAt))
            recordTrackChanges(of: line, from: lines[line] ?? .distantPast, in: state)
            state.addTracks(of: line)
        }
    }

    /// Adds further transactions and renewal infos to a chain.
    ///
    /// If all new transactions and infos follow the known ones, they are appended. Otherwise, the end of the chain or
    /// the whole chain is resolved again.
    ///
    /// - Parameter infosFrom: The signing time of the first of the new infos; `nil` if no info is new.
    private mutating func resolveFurther(
        _ line: Int, _ chain: PurchaseChain, _ pairing: RenewalPairing, _ changes: [HistoryChanges.Fact],
        infosFrom: Instant?, _ state: inout ResolutionState
    ) {
        let known = (count: state.lines[line].chain.count, last: state.lines[line].chain.lastFact)
        let isMoved = changes.contains { change in
            change.replaced.map { $0.purchasedAt != change.fact.purchasedAt } ?? false
        }
        let firstChanged = changes.lazy.compactMap { chain.index(of: $0.fact) }.min() ?? chain.facts.count
        // An info applies to the transaction that was current when the info was signed, or to the next transaction.
        let firstSpokenOf = infosFrom.map { max(chain.count(begunBy: $0) - 1, 0) } ?? chain.facts.count
        if chain.hasOneTransactionPerPeriod, !isMoved, min(firstChanged, firstSpokenOf) >= known.count - 1,
            chain.facts.count >= known.count, let last = known.last, case let current = chain.facts[known.count - 1],
            current.key == last.key,
            current.purchasedAt == last.purchasedAt,
            known.count == 1 || current.transaction.expiresAt == last.transaction.expiresAt
        {
            let touched = state.lines[line].chain.append(
                Array(chain.facts[known.count...]), last: current, pairing: pairing, resolver: state.resolver)
            guard let touched else { return }
            recordChange(line, from: touched.from)
            for track in touched.tracks {
                recordChange(state.lines[line].chain.tracks[track].productID, from: touched.from, in: state)
            }
        } else {
            // The answers of all transactions before the predecessor of the first changed transaction stay the same.
            let start = min(firstChanged - 1, firstSpokenOf)
            let from =
                !chain.hasOneTransactionPerPeriod || isMoved || start < 1
                ? .distantPast : chain.facts[start].purchasedAt
            recordChange(line, from: from)
            if from > .distantPast, start < known.count {
                state.lines[line].chain.resolveEnd(
                    Array(chain.facts[start...]), after: start, former: chain.facts[start - 1], pairing: pairing,
                    resolver: state.resolver)
            } else {
                state.lines[line].chain = SubscriptionChain(
                    chain.subscriptionRecords, pairing: pairing, resolver: state.resolver,
                    isReplaced: state.lines[line].chain.isReplaced, like: state.lines[line].chain)
            }
            recordTrackChanges(of: line, from: from, in: state)
        }
        state.addTracks(of: line)
    }

    private mutating func recordChange(_ line: Int, from instant: Instant) {
        lines[line] = min(lines[line] ?? instant, instant)
    }

    private mutating func recordTrackChanges(of line: Int, from instant: Instant, in state: ResolutionState) {
        for track in state.lines[line].chain.tracks { recordChange(track.productID, from: instant, in: state) }
    }
}
