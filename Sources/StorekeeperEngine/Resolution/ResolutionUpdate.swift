/// Takes what a history has learned into a resolution of it, touching only what that is about.
struct ResolutionUpdate {
    /// What a timeline was before the update, and from when on it is another.
    struct Touch {
        var from: Instant
        /// How many sources the timeline had.
        let sourceCount: Int
    }

    let history: PurchaseHistory
    private(set) var products: [Product.ID: Touch] = [:]
    /// The chains that changed, and from when on.
    private(set) var lines: [Int: Instant] = [:]
    /// Balances that are to be made anew.
    private(set) var staleBalances: Set<BalanceID> = []
    /// Whether a copy contradicts an older one about what the transaction is of, or for the first time the catalog about
    /// the type of a product, or a chain falls apart into groups: then all is to be resolved anew.
    private var isContradicted = false

    private init(_ history: PurchaseHistory) { self.history = history }

    /// Updates a resolution.
    ///
    /// - Returns: Whether that could be done; if not, the history has to be resolved anew.
    static func apply(
        _ changes: HistoryChanges, of history: PurchaseHistory, to state: inout ResolutionState
    ) -> Bool {
        var update = ResolutionUpdate(history)
        state.recordProof(of: history)
        for id in changes.notedProductIDs {
            if history.refusedProductIDs.contains(id) { state.refused.insert(id) }
            update.touch(id, from: .distantPast, in: state)
        }
        if !changes.facts.isEmpty || !changes.renewalInfos.isEmpty { update.apply(changes, &state) }
        guard !update.isContradicted else { return false }
        update.finish(&state)
        return true
    }

    /// Lets other purchases be pending.
    static func setPending(
        _ pending: PendingSources, of history: PurchaseHistory, in state: inout ResolutionState
    ) {
        var update = ResolutionUpdate(history)
        for difference in pending.differences(from: state.pending) {
            update.touch(difference.id, from: difference.from, in: state)
        }
        state.pending = pending
        update.finish(&state)
    }

    /// Notes that the timeline of a product will be another from an instant on; to be called before its sources change.
    private mutating func touch(_ id: Product.ID, from instant: Instant, in state: ResolutionState) {
        if let known = products[id] {
            if instant < known.from { products[id]?.from = instant }
        } else if let evidence = state.evidence[id], evidence.type != .consumable {
            products[id] = Touch(from: instant, sourceCount: evidence.sourceCount + state.pending.count(of: id))
        } else {
            products[id] = Touch(from: .distantPast, sourceCount: 0)
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
            guard state.resolver.policy.rule(for: change.chain.environment) == state.rule else {
                if ResolutionState.isRefusable(change.fact), state.refused.insert(change.fact.productID).inserted {
                    touch(change.fact.productID, from: .distantPast, in: state)
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
                // It may be of the download of the app that a renewal info of its chain names.
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
        // What was heard of one chain may put products of another into several groups.
        let suspects = state.groups.listen() ? Array(state.lines.indices) : Array(lines.keys)
        if suspects.contains(where: { state.groups.isSplit(state.lines[$0].chain.tracks.map(\.productID)) }) {
            isContradicted = true
        }
    }

    private mutating func applyOneTime(_ change: HistoryChanges.Fact, _ state: inout ResolutionState) {
        let id = change.fact.productID
        if change.fact.transaction.productType == .consumable {
            // The first evidence of a product says what it is.
            if state.evidence[id] == nil { touch(id, from: .distantPast, in: state) }
            recordMovements(change, &state)
        } else {
            touch(id, from: beginning(of: change), in: state)
        }
        if let replaced = change.replaced {
            _ = state.evidence.change(id) { $0.replace(replaced, by: change.fact) }
        } else {
            state.evidence.change(id, default: ProductEvidence()) { $0.add(change.fact) }
        }
    }

    /// From when on an answer may be another because of a purchase that does not renew: since the first of its records.
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

    /// Adds to the balances what a consumable adds and takes; where that lies before what is known, they are to be
    /// made anew.
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
        let pairing = RenewalPairing(history.renewalInfos(of: id))
        if let line = state.lookup?.line(id, in: state.lines) {
            let listed = state.lines[line].listed
            // Another download may make infos of any age the chain's.
            let hasOtherInfos = chain.downloads != listed.downloads && !pairing.infos.isEmpty
            if chain.subscriptions.count != listed.count || chain.downloads != listed.downloads {
                if GroupMembers.Listed(chain).contradicts(listed) { isContradicted = true }
                state.groups.add(chain, id: id)
                state.lines[line].listed = GroupMembers.Listed(chain)
            }
            resolveFurther(
                line, chain, pairing, changes, infosFrom: hasOtherInfos ? .distantPast : infosFrom, &state)
        } else {
            let subscription = chain.periods
            guard let first = subscription.first else { return }
            let line = state.add(
                LineOfService(
                    id: id, chain: SubscriptionChain(subscription, pairing: pairing, resolver: state.resolver),
                    listed: GroupMembers.Listed(chain)))
            state.lookup?.add(line, id)
            state.groups.add(chain, id: id)
            // A renewal that is all that is known begins at its signature.
            touch(line, from: min(first.purchasedAt, first.signedAt))
            touchTracks(of: line, from: lines[line] ?? .distantPast, in: state)
            state.addTracks(of: line)
        }
    }

    /// Takes further transactions and renewal infos into a chain: at its end where they belong there.
    ///
    /// - Parameter infosFrom: When the first of the infos was signed that the chain did not have.
    private mutating func resolveFurther(
        _ line: Int, _ chain: PurchaseChain, _ pairing: RenewalPairing, _ changes: [HistoryChanges.Fact],
        infosFrom: Instant?, _ state: inout ResolutionState
    ) {
        let known = (count: state.lines[line].chain.count, last: state.lines[line].chain.lastFact)
        let isMoved = changes.contains { change in
            change.replaced.map { $0.purchasedAt != change.fact.purchasedAt } ?? false
        }
        let firstChanged = changes.lazy.compactMap { chain.index(of: $0.fact) }.min() ?? chain.facts.count
        // An info speaks of the transaction that was current when it was signed, or of the one behind it.
        let firstSpokenOf = infosFrom.map { max(chain.count(begunBy: $0) - 1, 0) } ?? chain.facts.count
        if !chain.hasOneTimePurchases, !chain.hasTies, !isMoved, min(firstChanged, firstSpokenOf) >= known.count - 1,
            chain.facts.count >= known.count, let last = known.last, case let current = chain.facts[known.count - 1],
            current.key == last.key,
            current.purchasedAt == last.purchasedAt,
            known.count == 1 || current.transaction.expiresAt == last.transaction.expiresAt
        {
            let touched = state.lines[line].chain.append(
                Array(chain.facts[known.count...]), last: current, pairing: pairing, resolver: state.resolver)
            guard let touched else { return }
            touch(line, from: touched.from)
            for track in touched.tracks {
                touch(state.lines[line].chain.tracks[track].productID, from: touched.from, in: state)
            }
        } else {
            // What precedes the transaction before the first that changed is as it was.
            let start = min(firstChanged - 1, firstSpokenOf)
            let from =
                chain.hasOneTimePurchases || chain.hasTies || isMoved || start < 1
                ? .distantPast : chain.facts[start].purchasedAt
            touch(line, from: from)
            if from > .distantPast, start < known.count {
                state.lines[line].chain.resolveEnd(
                    Array(chain.facts[start...]), after: start, former: chain.facts[start - 1], pairing: pairing,
                    resolver: state.resolver)
            } else {
                state.lines[line].chain = SubscriptionChain(
                    chain.periods, pairing: pairing, resolver: state.resolver, like: state.lines[line].chain)
            }
            touchTracks(of: line, from: from, in: state)
        }
        state.addTracks(of: line)
    }

    private mutating func touch(_ line: Int, from instant: Instant) {
        lines[line] = min(lines[line] ?? instant, instant)
    }

    private mutating func touchTracks(of line: Int, from instant: Instant, in state: ResolutionState) {
        for track in state.lines[line].chain.tracks { touch(track.productID, from: instant, in: state) }
    }
}
