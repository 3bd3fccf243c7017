/// One chain of auto-renewable transactions, with its answers, which do not depend on other chains.
///
/// The answers of a transaction depend on its neighbors alone. When another transaction or renewal info arrives, only the
/// end of the chain is computed again, from the neighbor on.
struct SubscriptionChain: Sendable {
    /// The status at each instant; `nil` before the first purchase.
    private(set) var status = Timeline<SubscriptionStatus?>(nil)
    /// The answers of each product of the chain over time.
    private(set) var tracks: [Track] = []
    /// Whether another chain names this chain as the previous one.
    let isReplaced: Bool

    /// The answers of one product of the chain over time.
    struct Track: Sendable {
        let productID: Product.ID
        /// The level of service of the product in the catalog.
        let level: Int?
        var answers = Timeline<EntitlementAnswer>(.never)
    }

    /// Returns the answers of a product; `nil` if the chain does not contain it.
    func answers(of id: Product.ID) -> Timeline<EntitlementAnswer>? { tracks.first { $0.productID == id }?.answers }

    /// Computes the answers of a chain.
    ///
    /// - Parameters:
    ///   - facts: The transactions, newest last.
    ///   - pairing: The chain's renewal infos.
    ///   - resolver: The catalog and the policy.
    ///   - isReplaced: Whether another chain names this chain as the previous one.
    init(
        _ facts: [TransactionFact], pairing: RenewalPairing, resolver: EntitlementResolver, isReplaced: Bool = false
    ) {
        self.isReplaced = isReplaced
        status.reserveCapacity(facts.count + 4)
        var rules = Rules(resolver, pairing)
        resolve(BilledPeriods(facts), after: nil, &rules)
    }

    /// Appends the answers of the given periods.
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
        if let place { resolveLast(place, &rules) }
    }

    /// Computes the answers at the end of the chain again.
    ///
    /// - Parameters:
    ///   - facts: The transactions whose answers are computed again, each of a period of its own: the last one of before
    ///     the change and all from a transaction on that has changed, or has a changed successor or changed renewal
    ///     infos.
    ///   - former: The unchanged transaction before them.
    /// - Complexity: O(*m*) in the transactions that are resolved again, however many precede them.
    mutating func resolveEnd(
        _ facts: ArraySlice<TransactionFact>, after former: TransactionFact, pairing: RenewalPairing,
        resolver: EntitlementResolver
    ) {
        guard let first = facts.first else { return }
        var rules = Rules(resolver, pairing)
        status.cut(from: first.purchasedAt)
        for track in tracks.indices {
            // Later answers that follow from earlier transactions stay, because a product may have been revoked after
            // another product replaced it.
            tracks[track].answers.cut(from: first.purchasedAt) { answer in
                answer.basis.map { $0.fact.purchasedAt < first.purchasedAt } ?? false
            }
        }
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

    /// Appends the answers of the last period.
    private mutating func resolveLast(_ place: RenewalPairing.Place, _ rules: inout Rules) {
        let track = track(of: place.period.productID, rules.resolver.catalog)
        _ = appendPhases(
            place.period, from: beginning(of: place), to: .distantFuture, course: rules.pairing.course(at: place),
            on: track, &rules)
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
        if let known = tracks.lastIndex(where: { $0.productID == productID }) { return known }
        tracks.append(Track(productID: productID, level: catalog.product(productID)?.subscription?.groupLevel))
        return tracks.count - 1
    }

    /// Returns the instant from which the last transaction counts.
    ///
    /// This is its purchase date, even if the transaction was signed earlier (the App Store may charge a day early). A
    /// renewal that is the only known transaction counts from the time of its signature if this time is earlier,
    /// because the customer must have had access at that time already.
    private func beginning(of place: RenewalPairing.Place) -> Instant {
        let fact = place.period.first
        return place.former == nil && place.period.additions.isEmpty && fact.transaction.reason == .renewal
            && fact.transaction.expiresAt != nil ? min(fact.purchasedAt, fact.signedAt) : fact.purchasedAt
    }

    /// Returns the status at each instant; the status is `nil` while the current transaction is for one of the given
    /// products.
    ///
    /// - Returns: `nil` if the chain has only the given products.
    func status(without productIDs: Set<Product.ID>) -> Timeline<SubscriptionStatus?>? {
        guard !productIDs.isEmpty else { return status }
        let count = tracks.count { productIDs.contains($0.productID) }
        guard count > 0 else { return status }
        guard count < tracks.count else { return nil }
        return status.mapped(
            { $0.flatMap { productIDs.contains($0.transaction.productID) ? nil : $0 } }, joins: Self.areOneRun)
    }

    static func areOneRun(_ left: SubscriptionStatus?, _ right: SubscriptionStatus?) -> Bool {
        left?.state == right?.state && left?.fact.productID == right?.fact.productID
    }
}
