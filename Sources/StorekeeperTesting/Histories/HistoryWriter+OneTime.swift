import Storekeeper

extension HistoryWriter {
    /// Adds the purchases of one product that does not renew.
    mutating func addOneTimePurchases() {
        switch random.number(in: 1...100) {
        case ...35: addNonConsumables()
        case ...65: addNonRenewing()
        case ...92: addConsumables()
        default:
            let type = Product.ProductType(rawValue: "Timed Consumable")
            let product = random.chance(50) ? "timed" : random.element(of: shop.nonConsumables)?.id ?? "timed"
            transactions.append(.purchase(of: product, type: type, at: start(), id: nextID()))
            note(.unknownType)
        }
    }

    private mutating func addNonConsumables() {
        guard let product = random.element(of: shop.nonConsumables) else { return }
        let count = random.pick(1, 1, 2, 3)
        note(count > 1 ? .nonConsumableTwice : .nonConsumable)
        for _ in 0..<count {
            var draft = TransactionDraft.purchase(of: product, at: start(), id: nextID()).made(in: environment())
            draft.ownership = random.pick(.purchased, .purchased, .familyShared, .assigned, nil)
            // A free purchase again may come as a new transaction of the old chain.
            if random.chance(15), let earlier = transactions.last(where: { $0.productID == product.id }) {
                draft.originalID = earlier.originalID
                draft.environment = earlier.environment
            }
            if random.chance(4) { draft.ownership = OwnershipType(rawValue: "GUEST") }
            addWithRevocation(draft, percent: 45, noting: .nonConsumableRevoked)
        }
    }

    private mutating func addNonRenewing() {
        guard let product = random.element(of: shop.nonRenewing) else { return }
        let known = shop.catalog.product(product.id)
        if known?.accessDuration == nil {
            note(.nonRenewingOwned)
        } else {
            note(known?.stacking == .extend ? .nonRenewingExtend : .nonRenewingParallel)
        }
        for _ in 0..<random.number(in: 1...4) {
            var draft = TransactionDraft.purchase(of: product, at: start(), id: nextID())
            if random.chance(10) { draft.environment = environment() }
            draft.quantity = random.pick(1, 1, 1, 2, 3)
            addWithRevocation(draft, percent: 20, noting: .nonRenewingRevoked)
        }
    }

    private mutating func addConsumables() {
        guard let product = random.element(of: shop.consumables) else { return }
        note(.consumable)
        if shop.catalog.product(product.id)?.grants.isEmpty == false { note(.consumableGrants) }
        for _ in 0..<random.number(in: 1...3) {
            var draft = TransactionDraft.purchase(of: product, at: start(), id: nextID())
            if random.chance(10) { draft.environment = environment() }
            draft.quantity = random.pick(1, 1, 3, 10, nil)
            if (draft.quantity ?? 1) > 1 { note(.consumableQuantity) }
            addWithRevocation(draft, percent: 40, noting: .consumableRefunded, reversal: .consumableRefundReversed)
        }
    }

    private mutating func addWithRevocation(
        _ draft: TransactionDraft, percent: Int, noting situation: HistorySituation,
        reversal: HistorySituation? = nil
    ) {
        var copies = [draft]
        if random.chance(percent) {
            note(situation)
            var type: RevocationType? = random.pick(.fullRefund, .proratedRefund, nil)
            if draft.ownership == .familyShared { type = .familyRevocation }
            if draft.ownership == .assigned { type = .assignmentRevocation }
            var percentage: Int64?
            if type == .proratedRefund {
                percentage = random.pick(33_333, 66_667, 50_000, 67_932, 33_334)
                note(.partialRefund)
            }
            let date = draft.purchasedAt.adding(days: random.pick(0, 3, 16, 28, 31))
            copies.append(draft.revoked(at: date, type: type, percentage: percentage))
            if random.chance(25), let newest = copies.last {
                copies.append(newest.reversed(signedAt: newest.signedAt.adding(days: 1)))
                if let reversal { note(reversal) }
            }
        }
        if random.chance(5), let newest = copies.last {
            var copy = newest
            copy.revokedAt = copy.revokedAt?.adding(days: 1)
            copy.storefront = "DEU"
            copies.append(copy)
            note(.equalSignedDate)
        }
        if copies.count > 1, random.chance(50) { copies.removeFirst() }
        transactions += copies
    }
}
