/// One chain of auto-renewable transactions, resolved alone.
///
/// What all transactions but the last give is settled: the successor of each is known. What the last gives holds until
/// another comes, so it can be taken back and said anew at little cost, however long the chain.
struct SubscriptionChain: Sendable {
    /// The status at each instant; `nil` before the first purchase.
    private(set) var status = Timeline<SubscriptionStatus?>(nil)
    /// What each product of the chain gives, and when.
    private(set) var tracks: [Track] = []
    /// How many transactions are taken in.
    private(set) var count = 0

    private var trackOfProduct: [Product.ID: Int] = [:]
    private var last: Last?

    /// What a product of the chain gives.
    struct Track: Sendable {
        let productID: Product.ID
        /// The level of service of the product, as the catalog says.
        let level: Int?
        var answers = Timeline<EntitlementAnswer>(.never)
    }

    /// The last transaction, and how to take back what it gives.
    private struct Last: Sendable {
        let fact: TransactionFact
        /// The transaction before it.
        let former: TransactionFact?
        let outlook: RenewalOutlook?
        /// From when on it counts.
        let beginning: Instant
        let track: Int
        /// What held instead of what it gives; to be restored before it is said anew.
        var settledStatus: Timeline<SubscriptionStatus?>.End
        var settledAnswers: Timeline<EntitlementAnswer>.End
    }

    /// Resolves a chain.
    ///
    /// - Parameters:
    ///   - facts: The transactions, the newest last.
    ///   - pairing: The chain's renewal infos.
    ///   - resolver: The catalog and the policy.
    ///   - earlier: The chain as it was, whose products keep their places among the tracks.
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

    /// Takes in what came after the last transaction, and the renewal infos as they are now.
    ///
    /// - Parameters:
    ///   - newest: Copies that follow all that are taken in, the newest last.
    ///   - current: The copy of the last transaction that counts now; of the same product, purchase date and, unless it is
    ///     the only one, expiry: by that renewal infos are told from those of the transaction before.
    /// - Returns: The instant from which on the chain is another than it was, and the tracks that are;
    ///   `nil` where nothing changed.
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

    /// Resolves the end of the chain anew.
    ///
    /// - Parameters:
    ///   - facts: The transactions from the first on that is, or whose successor or renewal infos are, another than it was.
    ///   - start: How many transactions precede them, at least one; these are as they were.
    ///   - former: The last of these.
    /// - Complexity: O(*m*) in the transactions that are resolved anew, however many precede them.
    mutating func resolveEnd(
        _ facts: [TransactionFact], after start: Int, former: TransactionFact, pairing: RenewalPairing,
        resolver: EntitlementResolver
    ) {
        guard let first = facts.first, let newest = facts.last, let old = last else { return }
        var rules = Rules(resolver, pairing)
        removeLast(old)
        status.cut(from: first.purchasedAt)
        for track in tracks.indices {
            // A product that was left may have been taken back later than its successor was bought.
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

    /// What the rules need, and room to work in.
    private struct Rules {
        let resolver: EntitlementResolver
        let pairing: RenewalPairing
        let phaseRules: SubscriptionPhases
        var phases: [SubscriptionPhase] = []
        /// What was asked last: mostly all transactions of a chain are of one ownership.
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

    /// Notes what a transaction gives until its successor takes over.
    private mutating func resolvePending(
        _ place: RenewalPairing.Place, before next: TransactionFact, _ rules: inout Rules
    ) {
        let fact = place.fact
        let track = track(of: fact.productID, rules.resolver.catalog)
        let end = appendPhases(
            fact, from: fact.purchasedAt, to: next.purchasedAt, outlook: rules.pairing.outlook(at: place), on: track,
            &rules)
        if next.productID != fact.productID { leave(fact, accessEndsAt: end, for: next.transaction, on: track) }
    }

    /// Notes what the last transaction gives, in such a way that it can be taken back.
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

    /// Notes the phases of a transaction.
    ///
    /// - Returns: When the access that it gives ends.
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
            switch phase.standing {
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

    /// Lets a product lapse when another product of the group takes its place.
    private mutating func leave(
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

    /// The track of a product; made where the chain meets it for the first time.
    private mutating func track(of productID: Product.ID, _ catalog: Catalog) -> Int {
        // Neighbours mostly are of one product, and most chains have but one.
        if let last = tracks.last, last.productID == productID { return tracks.count - 1 }
        if let known = trackOfProduct[productID] { return known }
        tracks.append(Track(productID: productID, level: catalog.product(productID)?.subscription?.groupLevel))
        trackOfProduct[productID] = tracks.count - 1
        return tracks.count - 1
    }

    /// From when on the last transaction counts.
    ///
    /// From its purchase, also where it was signed before (the App Store may charge a day early). But where
    /// it is all that is known of a customer who plainly had access before, from its signature.
    private func beginning(of fact: TransactionFact) -> Instant {
        count == 1 && fact.transaction.reason == .renewal && fact.transaction.expiresAt != nil
            ? min(fact.purchasedAt, fact.signedAt) : fact.purchasedAt
    }

    static func areOneRun(_ left: SubscriptionStatus?, _ right: SubscriptionStatus?) -> Bool {
        left?.state == right?.state && left?.fact.productID == right?.fact.productID
    }
}
