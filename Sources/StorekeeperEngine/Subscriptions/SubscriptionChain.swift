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

    /// Whether another chain names this chain as the previous one.
    private(set) var isReplaced = false

    private var trackOfProduct: [Product.ID: Int] = [:]
    private var last: Last?

    /// The answers of one product of the chain over time.
    struct Track: Sendable {
        let productID: Product.ID
        /// The level of service of the product in the catalog.
        let level: Int?
        var answers = Timeline<EntitlementAnswer>(.never)
    }

    /// The last period, and the values needed to undo its answers when a later transaction is appended.
    private struct Last: Sendable {
        let period: BilledPeriod
        /// The period before the last one.
        let former: BilledPeriod?
        let course: RenewalCourse?
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
    ///   - isReplaced: Whether another chain names this chain as the previous one.
    ///   - earlier: An earlier version of the chain; its products have the same indices in ``tracks`` of the new
    ///     version.
    init(
        _ facts: [TransactionFact], pairing: RenewalPairing, resolver: EntitlementResolver,
        isReplaced: Bool = false, like earlier: SubscriptionChain? = nil
    ) {
        guard !facts.isEmpty else { return }
        status.reserveCapacity(facts.count + 4)
        self.isReplaced = isReplaced
        var rules = Rules(resolver, pairing)
        for known in earlier?.tracks ?? [] { _ = track(of: known.productID, resolver.catalog) }
        count = facts.count
        resolve(BilledPeriods(facts), after: nil, &rules)
    }

    /// Appends the answers of the given periods, and opens the last of them.
    private mutating func resolve(
        _ periods: some Sequence<BilledPeriod>, after former: BilledPeriod?, _ rules: inout Rules
    ) {
        var place: RenewalPairing.Place?
        for next in periods {
            if var pending = place {
                pending.next = next
                resolvePending(pending, before: next, &rules)
            }
            place = RenewalPairing.Place(former: place?.period ?? former, period: next)
        }
        if let place { open(place.period, after: place.former, &rules) }
    }

    /// The last transaction.
    var lastFact: TransactionFact? { last?.period.last }

    /// Adds transactions, each of a period of its own, after the last one, and applies the current renewal infos.
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
        let place = RenewalPairing.Place(former: old.former, period: BilledPeriod(current))
        if newest.isEmpty, old.period.last === current, old.course == pairing.course(at: place) { return nil }
        var rules = Rules(resolver, pairing)
        removeLast(old)
        count += newest.count
        resolve(([current] + newest).lazy.map(BilledPeriod.init), after: old.former, &rules)
        var touched = Set(newest.compactMap { trackOfProduct[$0.productID] })
        touched.insert(old.track)
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
        guard let first = facts.first, let old = last else { return }
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
        count = start + facts.count
        resolve(facts.lazy.map(BilledPeriod.init), after: BilledPeriod(former), &rules)
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

    /// Appends the answers of a period for the time until its successor was purchased.
    private mutating func resolvePending(
        _ place: RenewalPairing.Place, before next: BilledPeriod, _ rules: inout Rules
    ) {
        let period = place.period
        let track = track(of: period.productID, rules.resolver.catalog)
        let end = appendPhases(
            period, from: period.purchasedAt, to: next.purchasedAt, course: rules.pairing.course(at: place), on: track,
            &rules)
        if next.productID != period.productID { markReplaced(period, accessEndsAt: end, by: next, on: track) }
    }

    /// Appends the answers of the last period, and stores the ends of the timelines that these answers replace.
    private mutating func open(_ period: BilledPeriod, after former: BilledPeriod?, _ rules: inout Rules) {
        let beginning = beginning(of: period.first)
        let course = rules.pairing.course(at: RenewalPairing.Place(former: former, period: period))
        let track = track(of: period.productID, rules.resolver.catalog)
        last = Last(
            period: period, former: former, course: course, beginning: beginning, track: track,
            settledStatus: status.removeEnd(from: beginning),
            settledAnswers: tracks[track].answers.removeEnd(from: beginning))
        _ = appendPhases(period, from: beginning, to: .distantFuture, course: course, on: track, &rules)
    }

    private mutating func removeLast(_ last: Last) {
        status.restore(last.settledStatus)
        tracks[last.track].answers.restore(last.settledAnswers)
    }

    /// Appends the phases of a period to the status of the chain and to the answers of the product.
    ///
    /// - Returns: The end of the access that the period gives.
    private mutating func appendPhases(
        _ period: BilledPeriod, from beginning: Instant, to end: Instant, course: RenewalCourse?, on track: Int,
        _ rules: inout Rules
    ) -> Instant {
        let accessEnd = max(period.end, course?.graceEnd ?? .distantPast)
        let deciders = period.deciders(from: beginning)
        for (index, decider) in deciders.enumerated() where decider.from < end {
            let next = index + 1 < deciders.count ? min(deciders[index + 1].from, end) : end
            rules.phaseRules.find(
                of: decider.fact, from: decider.from, to: next, course: course, isReplaced: isReplaced,
                in: &rules.phases)
            appendPhases(of: decider.fact, accessEndsAt: accessEnd, course, on: track, &rules)
        }
        return accessEnd
    }

    /// Appends the phases of the transaction that decides.
    private mutating func appendPhases(
        of fact: TransactionFact, accessEndsAt accessEnd: Instant, _ course: RenewalCourse?, on track: Int,
        _ rules: inout Rules
    ) {
        let isAllowed = rules.isEntitling(fact.transaction.ownershipType)
        let level = tracks[track].level
        var former: SubscriptionPhase?
        for phase in rules.phases {
            // An info that changes neither the state nor the access changes only the status.
            if former?.state != phase.state || former?.access != phase.access {
                let basis = EntitlementAnswer.Basis(fact: fact, accessEndsAt: accessEnd, state: phase.state)
                let answer: EntitlementAnswer
                switch phase.access {
                case .entitled(let reason): answer = isAllowed ? .entitled(reason, basis) : .unknown(.unverified, basis)
                case .lapsed(let reason): answer = .lapsed(reason, basis)
                }
                tracks[track].answers.append(answer, from: phase.from)
            }
            former = phase
            status.append(
                SubscriptionStatus(
                    phase, isEntitled: isAllowed && phase.access.isEntitled, fact: fact,
                    gracePeriodExpiresAt: course?.graceEnd, groupLevel: level),
                from: phase.from, joins: Self.areOneRun)
        }
    }

    /// Marks a product as lapsed when another product of the group replaces it.
    private mutating func markReplaced(
        _ period: BilledPeriod, accessEndsAt accessEnd: Instant, by successor: BilledPeriod, on track: Int
    ) {
        let leaving = successor.purchasedAt
        func set(
            _ reason: EntitlementAnswer.LapsedReason, _ state: RenewalState = .expired, of fact: TransactionFact,
            from instant: Instant
        ) {
            let basis = EntitlementAnswer.Basis(fact: fact, accessEndsAt: accessEnd, state: state)
            tracks[track].answers.append(.lapsed(reason, basis), from: instant)
        }
        for decider in period.deciders(from: period.purchasedAt) {
            let (from, fact) = (max(decider.from, leaving), decider.fact)
            // A move to a bundle is not a refund: the upgrade remains the reason.
            let lapse = fact.transaction.revocationLapse(isReplaced: isReplaced)
            let isMoved = lapse == .movedToBundle && fact.isUpgraded
            let revokedFrom = isMoved ? nil : fact.revokedAt.map { max($0, from) }
            if revokedFrom != from {
                set(fact.isUpgraded || leaving < period.end ? .upgraded : .expired, of: fact, from: from)
            }
            if let revokedFrom { set(lapse, .revoked, of: fact, from: revokedFrom) }
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
