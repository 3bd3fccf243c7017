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
        var pieces: [Product.ID: [Overlay.Piece<EntitlementAnswer>]]
    }

    func resolved() -> Resolved {
        var status = Timeline<SubscriptionStatus?>(nil)
        status.reserveCapacity(facts.count + 4)
        var tracks: [Product.ID: Track] = [:]
        let phaseRules = SubscriptionPhases(policy: policy)
        var level: (productID: Product.ID, value: Int?)?
        for (index, fact) in facts.enumerated() {
            let transaction = fact.transaction
            let isLast = index == facts.count - 1
            let beginning = beginning(of: transaction)
            let end = isLast ? Instant.distantFuture : facts[index + 1].transaction.purchasedAt
            let info = isLast ? infoSpeaking(of: transaction) : nil
            let graceEnd = phaseRules.graceEnd(of: transaction, info: info?.renewalInfo)
            let isAllowed = policy.entitlingOwnershipTypes.contains(transaction.ownershipType)
            if level?.productID != transaction.productID {
                level = (transaction.productID, catalog.product(transaction.productID)?.subscription?.groupLevel)
            }
            let basis = EntitlementAnswer.Basis(
                fact: fact, accessEndsAt: max(transaction.subscriptionPeriodEnd, graceEnd ?? .distantPast))
            var track = tracks[transaction.productID] ?? Track()
            for phase in phaseRules.phases(of: transaction, from: beginning, info: info?.renewalInfo)
            where phase.from < end {
                let answer: EntitlementAnswer
                switch phase.standing {
                case .entitled(let reason): answer = isAllowed ? .entitled(reason, basis) : .unknown(.unverified, basis)
                case .lapsed(let reason): answer = .lapsed(reason, basis)
                }
                track.set(answer, from: phase.from)
                status.append(
                    SubscriptionStatus(
                        state: phase.state, isEntitled: answer.isEntitled, fact: fact, renewalInfo: info,
                        gracePeriodExpiresAt: graceEnd, groupLevel: level?.value),
                    from: phase.from, joins: Self.areOneRun)
            }
            if !isLast, facts[index + 1].transaction.productID != transaction.productID {
                leave(transaction, basis, for: facts[index + 1].transaction, in: &track)
            }
            tracks[transaction.productID] = track
        }
        return Resolved(status: status, pieces: tracks.mapValues { $0.pieces() })
    }

    /// Lets a product lapse when another product of the group takes its place.
    private func leave(
        _ transaction: Transaction, _ basis: EntitlementAnswer.Basis, for successor: Transaction, in track: inout Track
    ) {
        let isUpgrade = transaction.isUpgraded || successor.purchasedAt < transaction.subscriptionPeriodEnd
        let leaving = successor.purchasedAt
        if let revokedAt = transaction.revokedAt {
            if revokedAt > leaving { track.set(.lapsed(isUpgrade ? .upgraded : .expired, basis), from: leaving) }
            track.set(.lapsed(transaction.revocationLapse, basis), from: max(revokedAt, leaving))
        } else {
            track.set(.lapsed(isUpgrade ? .upgraded : .expired, basis), from: leaving)
        }
    }

    /// From when on a transaction counts.
    ///
    /// From its purchase, also where it was signed before (the App Store may charge a day early). But where
    /// it is all that is known of a customer who plainly had access before, from its signature.
    private func beginning(of transaction: Transaction) -> Instant {
        facts.count == 1 && transaction.reason == .renewal
            ? min(transaction.purchasedAt, transaction.signedAt) : transaction.purchasedAt
    }

    /// The renewal info, unless it was signed before the period of the last transaction began.
    private func infoSpeaking(of last: Transaction) -> RenewalInfoFact? {
        guard let renewalInfo, renewalInfo.renewalInfo.signedAt >= last.purchasedAt else { return nil }
        return renewalInfo
    }

    static func areOneRun(_ left: SubscriptionStatus?, _ right: SubscriptionStatus?) -> Bool {
        left?.state == right?.state && left?.transaction.productID == right?.transaction.productID
    }

    /// The answers of one product of the chain, in order.
    private struct Track {
        var changes: [(from: Instant, answer: EntitlementAnswer)] = []

        mutating func set(_ answer: EntitlementAnswer, from instant: Instant) {
            while let last = changes.last, last.from >= instant { changes.removeLast() }
            changes.append((instant, answer))
        }

        func pieces() -> [Overlay.Piece<EntitlementAnswer>] {
            changes.indices.map { index in
                Overlay.Piece(
                    from: changes[index].from,
                    to: index + 1 < changes.count ? changes[index + 1].from : .distantFuture,
                    value: changes[index].answer)
            }
        }
    }
}
