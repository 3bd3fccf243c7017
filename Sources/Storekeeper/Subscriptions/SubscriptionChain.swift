/// Resolves one chain of auto-renewable transactions, alone.
struct SubscriptionChain {
    let policy: EntitlementPolicy
    let catalog: Catalog
    /// The transactions, the newest last.
    let facts: [TransactionFact]
    /// The chain's renewal info; it speaks of the last transaction only.
    let renewalInfo: RenewalInfoFact?

    /// What became of a chain.
    struct Resolved: Sendable {
        /// The status at each instant; `nil` before the first purchase.
        var status: Timeline<SubscriptionStatus?>
        /// What each product of the chain gives, and when.
        var answers: [Product.ID: Timeline<EntitlementAnswer>]
    }

    func resolved() -> Resolved {
        var status = Timeline<SubscriptionStatus?>(nil)
        status.reserveCapacity(facts.count + 4)
        var tracks = Tracks()
        let phaseRules = SubscriptionPhases(policy: policy)
        var phases: [SubscriptionPhase] = []
        var level: Int?
        for (index, fact) in facts.enumerated() {
            let next = index + 1 < facts.count ? facts[index + 1] : nil
            let beginning = beginning(of: fact)
            let end = next?.purchasedAt ?? .distantFuture
            let info = next == nil ? infoSpeaking(of: fact) : nil
            let graceEnd = phaseRules.graceEnd(of: fact, info: info?.renewalInfo)
            let isAllowed = policy.entitlingOwnershipTypes.contains(fact.transaction.ownershipType)
            if tracks.select(fact.productID) {
                level = catalog.product(fact.productID)?.subscription?.groupLevel
            }
            let basis = EntitlementAnswer.Basis(
                fact: fact, accessEndsAt: max(fact.periodEnd, graceEnd ?? .distantPast))
            phaseRules.find(of: fact, from: beginning, to: end, info: info?.renewalInfo, in: &phases)
            for phase in phases {
                let answer: EntitlementAnswer
                switch phase.standing {
                case .entitled(let reason): answer = isAllowed ? .entitled(reason, basis) : .unknown(.unverified, basis)
                case .lapsed(let reason): answer = .lapsed(reason, basis)
                }
                tracks.set(answer, from: phase.from)
                status.append(
                    SubscriptionStatus(
                        state: phase.state, isEntitled: answer.isEntitled, fact: fact, renewalInfo: info,
                        gracePeriodExpiresAt: graceEnd, groupLevel: level),
                    from: phase.from, joins: Self.areOneRun)
            }
            if let next, next.productID != fact.productID {
                leave(fact.transaction, basis, for: next.transaction, in: &tracks)
            }
        }
        return Resolved(status: status, answers: tracks.answers)
    }

    /// Lets a product lapse when another product of the group takes its place.
    private func leave(
        _ transaction: Transaction, _ basis: EntitlementAnswer.Basis, for successor: Transaction,
        in tracks: inout Tracks
    ) {
        let isUpgrade = transaction.isUpgraded || successor.purchasedAt < transaction.subscriptionPeriodEnd
        let leaving = successor.purchasedAt
        if let revokedAt = transaction.revokedAt {
            if revokedAt > leaving { tracks.set(.lapsed(isUpgrade ? .upgraded : .expired, basis), from: leaving) }
            tracks.set(.lapsed(transaction.revocationLapse, basis), from: max(revokedAt, leaving))
        } else {
            tracks.set(.lapsed(isUpgrade ? .upgraded : .expired, basis), from: leaving)
        }
    }

    /// From when on a transaction counts.
    ///
    /// From its purchase, also where it was signed before (the App Store may charge a day early). But where
    /// it is all that is known of a customer who plainly had access before, from its signature.
    private func beginning(of fact: TransactionFact) -> Instant {
        facts.count == 1 && fact.transaction.reason == .renewal && fact.transaction.expiresAt != nil
            ? min(fact.purchasedAt, fact.signedAt) : fact.purchasedAt
    }

    /// The renewal info, unless it was signed before the period of the last transaction began.
    private func infoSpeaking(of last: TransactionFact) -> RenewalInfoFact? {
        // What follows the end of a period can only be told where the period is known.
        guard let renewalInfo, renewalInfo.renewalInfo.signedAt >= last.purchasedAt,
            last.transaction.expiresAt != nil
        else { return nil }
        return renewalInfo
    }

    static func areOneRun(_ left: SubscriptionStatus?, _ right: SubscriptionStatus?) -> Bool {
        left?.state == right?.state && left?.fact.productID == right?.fact.productID
    }

    /// The answers of each product of the chain, in order.
    private struct Tracks {
        private var tracks: [Timeline<EntitlementAnswer>] = []
        private var indexByProduct: [Product.ID: Int] = [:]
        private var selected: (productID: Product.ID, index: Int)?

        /// Lets what follows be about a product; says whether it is another than before.
        mutating func select(_ productID: Product.ID) -> Bool {
            if selected?.productID == productID { return false }
            let index = indexByProduct[productID] ?? tracks.count
            if index == tracks.count {
                tracks.append(Timeline(.never))
                indexByProduct[productID] = index
            }
            selected = (productID, index)
            return true
        }

        /// Lets an answer hold from an instant on, in place of whatever held from there on.
        mutating func set(_ answer: EntitlementAnswer, from instant: Instant) {
            guard let index = selected?.index else { return }
            tracks[index].append(answer, from: instant)
        }

        /// What each product gives over time.
        var answers: [Product.ID: Timeline<EntitlementAnswer>] { indexByProduct.mapValues { tracks[$0] } }
    }
}
