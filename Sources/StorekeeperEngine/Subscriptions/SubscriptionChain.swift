/// One chain of auto-renewable transactions, with its answers, which do not depend on other chains.
///
/// The answers of all transactions except the last are final, because their successors are known. The answers of the
/// last transaction may change when another transaction arrives. Therefore the answers of the last transaction can be
/// removed and computed again cheaply, however long the chain is.
struct SubscriptionChain: Sendable {
    /// The status at each instant; `nil` before the first purchase.
    private(set) var status = Timeline<SubscriptionStatus?>(nil)
    /// The answers of each product of the chain over time.
    private(set) var tracks: [Track] = []
    /// The number of transactions in the chain.
    private(set) var count = 0

    private var trackOfProduct: [Product.ID: Int] = [:]
    private var last: Last?

    /// The answers of one product of the chain over time.
    struct Track: Sendable {
        let productID: Product.ID
        /// The level of service of the product in the catalog.
        let level: Int?
        var answers = Timeline<EntitlementAnswer>(.never)
    }

    /// The last transaction, and the values needed to undo its answers when a later transaction is appended.
    private struct Last: Sendable {
        let fact: TransactionFact
        /// The transaction before the last one.
        let former: TransactionFact?
        let outlook: RenewalOutlook?
        /// The instant from which the last transaction counts.
        let beginning: Instant
        let track: Int
        /// The end of the status timeline that the last transaction replaced; it is restored before the status is
        /// computed again.
        var settledStatus: Timeline<SubscriptionStatus?>.End
        var settledAnswers: Timeline<EntitlementAnswer>.End
    }

    /// Computes the answers of a chain.
    ///
    /// - Parameters:
    ///   - facts: The transactions, newest last.
    ///   - pairing: The chain's renewal infos.
    ///   - resolver: The catalog and the policy.
    ///   - earlier: An earlier version of the chain; its products have the same indices in ``tracks`` of the new
    ///     version.
    init(
        _ facts: LeafArray<TransactionFact>, pairing: RenewalPairing, resolver: EntitlementResolver,
        like earlier: SubscriptionChain? = nil
    ) {
        guard let newest = facts.last else { return }
        status.reserveCapacity(facts.count + 4)
        var rules = Rules(resolver, pairing)
        for known in earlier?.tracks ?? [] { _ = track(of: known.productID, resolver.catalog) }
        var former: TransactionFact?
        for (fact, next) in zip(facts, facts.dropFirst()) {
            resolvePending(RenewalPairing.Place(former: former, fact: fact, next: next), before: next, &rules)
            former = fact
        }
        count = facts.count
        open(newest, after: former, &rules)
    }

    /// The last transaction.
    var lastFact: TransactionFact? { last?.fact }

    /// Adds transactions after the last one, and applies the current renewal infos.
    ///
    /// - Parameters:
    ///   - newest: The transactions that follow all transactions in the chain, newest last.
    ///   - current: The copy of the last transaction that counts now. The copy must have the same product and purchase
    ///     date as before and, unless it is the only transaction of the chain, the same expiry. These values separate
    ///     the renewal infos of this transaction from those of the previous transaction.
    /// - Returns: The instant from which the chain has changed, and the products (as indices of ``tracks``) whose
    ///   answers have changed; `nil` if nothing changed.
    mutating func append(
        _ newest: [TransactionFact], last current: TransactionFact, pairing: RenewalPairing,
        resolver: EntitlementResolver
    ) -> (from: Instant, tracks: Set<Int>)? {
        guard let old = last else { return nil }
        var place = RenewalPairing.Place(former: old.former, fact: current)
        if newest.isEmpty, old.fact === current, old.outlook == pairing.outlook(at: place) { return nil }
        var rules = Rules(resolver, pairing)
        removeLast(old)
        var touched: Set<Int> = [old.track]
        for next in newest {
            place.next = next
            resolvePending(place, before: next, &rules)
            if let track = trackOfProduct[place.fact.productID] { touched.insert(track) }
            place = RenewalPairing.Place(former: place.fact, fact: next)
        }
        count += newest.count
        open(place.fact, after: place.former, &rules)
        if let track = last?.track { touched.insert(track) }
        return (min(old.beginning, last?.beginning ?? old.beginning), touched)
    }

    /// Computes the answers at the end of the chain again.
    ///
    /// - Parameters:
    ///   - facts: The transactions whose answers are computed again. The first of them has changed, or has a changed
    ///     successor or changed renewal infos.
    ///   - start: The number of unchanged transactions before `facts`, at least one.
    ///   - former: The last of the unchanged transactions.
    /// - Complexity: O(*m*) in the transactions that are resolved again, however many precede them.
    mutating func resolveEnd(
        _ facts: [TransactionFact], after start: Int, former: TransactionFact, pairing: RenewalPairing,
        resolver: EntitlementResolver
    ) {
        guard let first = facts.first, let newest = facts.last, let old = last else { return }
        var rules = Rules(resolver, pairing)
        removeLast(old)
        status.cut(from: first.purchasedAt)
        for track in tracks.indices {
            // Later answers that follow from earlier transactions stay, because a product may have been revoked after
            // another product replaced it.
            tracks[track].answers.cut(
                from: first.purchasedAt,
                keepingWhile: { answer in answer.basis.map { $0.fact.purchasedAt < first.purchasedAt } ?? false },
                joins: { $0.isEquivalent(to: $1) })
        }
        var former = former
        for (fact, next) in zip(facts, facts.dropFirst()) {
            resolvePending(RenewalPairing.Place(former: former, fact: fact, next: next), before: next, &rules)
            former = fact
        }
        count = start + facts.count
        open(newest, after: former, &rules)
    }

    // MARK: Rules

    /// The inputs of the rules, and the buffers that the rules reuse.
    private struct Rules {
        let resolver: EntitlementResolver
        let pairing: RenewalPairing
        let phaseRules: SubscriptionPhases
        var phases: [SubscriptionPhase] = []
        /// A cache of the last ownership type, because all transactions of a chain usually have the same type.
        private var lastOwnership: (type: OwnershipType, isEntitling: Bool)?

        init(_ resolver: EntitlementResolver, _ pairing: RenewalPairing) {
            self.resolver = resolver
            self.pairing = pairing
            phaseRules = SubscriptionPhases(policy: resolver.policy)
        }

        mutating func isEntitling(_ type: OwnershipType) -> Bool {
            if let lastOwnership, lastOwnership.type == type { return lastOwnership.isEntitling }
            let isEntitling = resolver.policy.entitlingOwnershipTypes.contains(type)
            lastOwnership = (type, isEntitling)
            return isEntitling
        }
    }

    /// Appends the answers of a transaction for the time until its successor was purchased.
    private mutating func resolvePending(
        _ place: RenewalPairing.Place, before next: TransactionFact, _ rules: inout Rules
    ) {
        let fact = place.fact
        let track = track(of: fact.productID, rules.resolver.catalog)
        let end = appendPhases(
            fact, from: fact.purchasedAt, to: next.purchasedAt, outlook: rules.pairing.outlook(at: place), on: track,
            &rules)
        if next.productID != fact.productID { markReplaced(fact, accessEndsAt: end, for: next.transaction, on: track) }
    }

    /// Appends the answers of the last transaction, and stores the ends of the timelines that these answers replace.
    private mutating func open(_ fact: TransactionFact, after former: TransactionFact?, _ rules: inout Rules) {
        let beginning = beginning(of: fact)
        let outlook = rules.pairing.outlook(at: RenewalPairing.Place(former: former, fact: fact))
        let track = track(of: fact.productID, rules.resolver.catalog)
        last = Last(
            fact: fact, former: former, outlook: outlook, beginning: beginning, track: track,
            settledStatus: status.removeEnd(from: beginning),
            settledAnswers: tracks[track].answers.removeEnd(from: beginning))
        _ = appendPhases(fact, from: beginning, to: .distantFuture, outlook: outlook, on: track, &rules)
    }

    private mutating func removeLast(_ last: Last) {
        status.restore(last.settledStatus)
        tracks[last.track].answers.restore(last.settledAnswers)
    }

    /// Appends the phases of a transaction to the status of the chain and to the answers of the product.
    ///
    /// - Returns: The end of the access that the transaction gives.
    private mutating func appendPhases(
        _ fact: TransactionFact, from beginning: Instant, to end: Instant, outlook: RenewalOutlook?, on track: Int,
        _ rules: inout Rules
    ) -> Instant {
        let graceEnd = outlook?.graceEnd
        let isAllowed = rules.isEntitling(fact.transaction.ownershipType)
        let accessEnd = max(fact.periodEnd, graceEnd ?? .distantPast)
        let level = tracks[track].level
        rules.phaseRules.find(of: fact, from: beginning, to: end, outlook: outlook, in: &rules.phases)
        for phase in rules.phases {
            let basis = EntitlementAnswer.Basis(fact: fact, accessEndsAt: accessEnd, state: phase.state)
            let answer: EntitlementAnswer
            switch phase.access {
            case .entitled(let reason): answer = isAllowed ? .entitled(reason, basis) : .unknown(.unverified, basis)
            case .lapsed(let reason): answer = .lapsed(reason, basis)
            }
            tracks[track].answers.append(answer, from: phase.from)
            status.append(
                SubscriptionStatus(
                    state: phase.state, isEntitled: answer.isEntitled, fact: fact, info: outlook?.info,
                    gracePeriodExpiresAt: graceEnd, groupLevel: level),
                from: phase.from, joins: Self.areOneRun)
        }
        return accessEnd
    }

    /// Marks a product as lapsed when another product of the group replaces it.
    private mutating func markReplaced(
        _ fact: TransactionFact, accessEndsAt accessEnd: Instant, for successor: Transaction, on track: Int
    ) {
        let transaction = fact.transaction
        let isUpgrade = transaction.isUpgraded || successor.purchasedAt < transaction.subscriptionPeriodEnd
        let leaving = successor.purchasedAt
        func set(
            _ reason: EntitlementAnswer.LapsedReason, _ state: RenewalState = .expired, from instant: Instant
        ) {
            let basis = EntitlementAnswer.Basis(fact: fact, accessEndsAt: accessEnd, state: state)
            tracks[track].answers.append(.lapsed(reason, basis), from: instant)
        }
        if let revokedAt = transaction.revokedAt {
            if revokedAt > leaving { set(isUpgrade ? .upgraded : .expired, from: leaving) }
            set(transaction.revocationLapse, .revoked, from: max(revokedAt, leaving))
        } else {
            set(isUpgrade ? .upgraded : .expired, from: leaving)
        }
    }

    /// Returns the index of a product in ``tracks``; adds the product if the chain did not contain it.
    private mutating func track(of productID: Product.ID, _ catalog: Catalog) -> Int {
        // Consecutive transactions usually have the same product, and most chains have only one product.
        if let last = tracks.last, last.productID == productID { return tracks.count - 1 }
        if let known = trackOfProduct[productID] { return known }
        tracks.append(Track(productID: productID, level: catalog.product(productID)?.subscription?.groupLevel))
        trackOfProduct[productID] = tracks.count - 1
        return tracks.count - 1
    }

    /// Returns the instant from which the last transaction counts.
    ///
    /// This is its purchase date, even if the transaction was signed earlier (the App Store may charge a day early). A
    /// renewal that is the only known transaction counts from the time of its signature if this time is earlier,
    /// because the customer must have had access at that time already.
    private func beginning(of fact: TransactionFact) -> Instant {
        count == 1 && fact.transaction.reason == .renewal && fact.transaction.expiresAt != nil
            ? min(fact.purchasedAt, fact.signedAt) : fact.purchasedAt
    }

    static func areOneRun(_ left: SubscriptionStatus?, _ right: SubscriptionStatus?) -> Bool {
        left?.state == right?.state && left?.fact.productID == right?.fact.productID
    }
}
