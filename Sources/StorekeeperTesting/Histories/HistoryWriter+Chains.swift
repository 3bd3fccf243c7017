import Storekeeper

extension HistoryWriter {
    /// Adds the history of one subscription.
    mutating func addChain() {
        guard let group = random.element(of: shop.groups), let product = random.element(of: group.products) else {
            return
        }
        var first = TransactionDraft.purchase(of: product, at: start(), id: nextID())
        first.environment = environment()
        if first.environment != .production, random.chance(40),
            let other = transactions.first(where: { $0.type == .autoRenewable && $0.environment == .production }),
            !transactions.contains(where: {
                $0.environment == first.environment
                    && ($0.id == other.originalID || $0.originalID == other.originalID)
            })
        {
            // Ids are unique only within an environment, so two environments can have the same id.
            first.id = other.originalID
            first.originalID = other.originalID
        }
        first.subscriptionGroupID = groupID(of: group, in: first.environment)
        first.ownership = ownership()
        if random.chance(12) {
            first.billingPlanType = .monthly
            recordSituation(.monthlyPlan)
        } else if random.chance(20) {
            first.billingPlanType = .billedUpfront
        }
        if random.chance(40) { first.appTransactionID = random.pick("70", "71") }
        first.expiresAt = end(of: product, from: first.purchasedAt, plan: first.billingPlanType)

        var chain = random.chance(8) ? [loneRenewal(first)] : story(from: first, in: group)
        if chain.count > 1, random.chance(6) {
            chain.remove(at: random.number(in: 0...chain.count - 1))
            recordSituation(.missingTransaction)
        }
        if random.chance(3) {
            chain[random.number(in: 0...chain.count - 1)].expiresAt = nil
            recordSituation(.missingExpiry)
        }
        if random.chance(14) { addSeats(to: &chain) }
        // A change of plan at the very instant at which seats were added has no defined order.
        let hasSeats = chain.contains { $0.additionalReason != nil }
        if random.chance(10), !hasSeats { addTie(to: &chain, in: group) }
        if mixesGroups, random.chance(30), !hasSeats { addOtherGroup(to: &chain) }
        addRenewalInfos(for: chain, in: group)
        if random.chance(20) { addStatuses(of: chain) }
        if random.chance(8) { replace(&chain, in: group) }
        addCopies(of: chain)
    }

    mutating func groupID(of group: GeneratedShop.Group, in environment: AppStore.Environment) -> SubscriptionGroup.ID {
        guard environment == .production ? random.chance(5) : random.chance(25) else { return group.id }
        recordSituation(.severalGroupIDs)
        return SubscriptionGroup.ID(group.id.rawValue + random.pick("0", "x"))
    }

    private mutating func ownership() -> OwnershipType? {
        switch random.number(in: 1...100) {
        case ...60: return .purchased
        case ...80:
            recordSituation(.familyShared)
            return .familyShared
        case ...90:
            recordSituation(.assigned)
            return .assigned
        case ...95:
            recordSituation(.missingOwnership)
            return nil
        default:
            recordSituation(.unknownOwnership)
            return OwnershipType(rawValue: "GUEST")
        }
    }

    func end(of product: Product, from start: Instant, plan: BillingPlanType?) -> Instant? {
        let period = plan == .monthly ? SubscriptionPeriod("P1M") : product.subscription?.subscriptionPeriod
        return period?.end(from: start)
    }

    /// Returns a renewal without the earlier transactions of its chain.
    private mutating func loneRenewal(_ first: TransactionDraft) -> TransactionDraft {
        var renewal = first
        renewal.originalID = nextID()
        renewal.originallyPurchasedAt = nil
        renewal.reason = .renewal
        if random.chance(70) { renewal.signedAt = renewal.purchasedAt.adding(days: -1) }
        recordSituation(.loneRenewal)
        return renewal
    }

    /// Returns a first purchase and the transactions that follow it.
    private mutating func story(from first: TransactionDraft, in group: GeneratedShop.Group) -> [TransactionDraft] {
        var chain = [first]
        for _ in 0..<random.number(in: 0...4) {
            guard let last = chain.last, let expiry = last.expiresAt else { break }
            let others = group.products.filter { $0.id != last.productID }
            switch random.number(in: 1...100) {
            case ...38:
                guard var next = follower(of: last, product: product(of: last, in: group), at: expiry) else { break }
                next.reason = .renewal
                recordSituation(.renewal)
                if random.chance(35) {
                    next.signedAt = expiry.adding(days: -1)
                    recordSituation(.earlySignedRenewal)
                }
                chain.append(next)
            case ...56:
                guard let other = random.element(of: others) else { continue }
                changeAtOnce(&chain, to: other, from: product(of: last, in: group))
            case ...60:
                chain[chain.count - 1].isUpgraded = true
                recordSituation(.upgradeWithoutSuccessor)
                return chain
            case ...72:
                guard let other = random.element(of: others),
                    var next = follower(of: last, product: other, at: expiry)
                else { continue }
                next.reason = .renewal
                recordSituation(.downgrade)
                chain.append(next)
            case ...76:
                // The renewal failed and was recovered, without evidence of the failure. The new period starts at the
                // end of the old period.
                guard var next = follower(of: last, product: product(of: last, in: group), at: expiry) else { break }
                next.signedAt = expiry.adding(days: 3)
                next.reason = .renewal
                recordSituation(.recoveryWithoutGap)
                chain.append(next)
            case ...92:
                let gap = random.pick(1, 3, 16, 60, 90)
                guard
                    let next = follower(
                        of: last, product: random.element(of: group.products), at: expiry.adding(days: gap))
                else { break }
                recordSituation(.resubscription)
                chain.append(next)
            default:
                return chain
            }
        }
        return chain
    }

    /// Appends an upgrade or a crossgrade during a period.
    private mutating func changeAtOnce(_ chain: inout [TransactionDraft], to product: Product, from old: Product?) {
        guard let last = chain.last, let expiry = last.expiresAt else { return }
        let days = random.pick(0, 3, 14, 16)
        let instant = min(last.purchasedAt.adding(days: days), expiry.adding(milliseconds: -1))
        guard let next = follower(of: last, product: product, at: instant) else { return }
        if days == 0 { recordSituation(.changeAtPurchase) }
        if old?.subscription?.groupLevel == product.subscription?.groupLevel { recordSituation(.sameLevelChange) }
        if random.chance(65) {
            chain[chain.count - 1].isUpgraded = true
            recordSituation(.upgradeWithFlag)
        } else {
            recordSituation(.upgradeWithoutFlag)
        }
        chain.append(next)
    }

    private func product(of draft: TransactionDraft, in group: GeneratedShop.Group) -> Product? {
        group.products.first { $0.id == draft.productID }
    }

    private mutating func follower(
        of draft: TransactionDraft, product: Product?, at instant: Instant
    ) -> TransactionDraft? {
        guard let product else { return nil }
        let expiry = end(of: product, from: instant, plan: draft.billingPlanType)
        return .change(of: draft, to: product.id, at: instant, expires: expiry, id: nextID())
    }
}
