import Storekeeper

extension HistoryWriter {
    /// Adds purchases of one product that is not an auto-renewable subscription.
    mutating func addOneTimePurchases() {
        switch random.number(in: 1...100) {
        case ...35: addNonConsumables()
        case ...65: addNonRenewing()
        case ...88: addConsumables()
        case ...94: addConflictingType()
        default:
            let type = Product.ProductType(rawValue: "Timed Consumable")
            let product = random.chance(50) ? "timed" : random.element(of: shop.nonConsumables)?.id ?? "timed"
            transactions.append(.purchase(of: product, type: type, at: start(), id: nextID()))
            recordSituation(.unknownType)
        }
    }

    private mutating func addNonConsumables() {
        guard let product = random.element(of: shop.nonConsumables) else { return }
        let count = random.pick(1, 1, 2, 3)
        recordSituation(count > 1 ? .nonConsumableTwice : .nonConsumable)
        for _ in 0..<count {
            var draft = TransactionDraft.purchase(of: product, at: start(), id: nextID()).made(in: environment())
            draft.ownership = random.pick(.purchased, .purchased, .familyShared, .assigned, nil)
            // Another download of a free product may create a new transaction in the existing chain.
            if random.chance(15), let earlier = transactions.last(where: { $0.productID == product.id }) {
                draft.originalID = earlier.originalID
                draft.environment = earlier.environment
            }
            if random.chance(4) { draft.ownership = OwnershipType(rawValue: "GUEST") }
            addDownload(to: &draft)
            let first = transactions.count
            addWithRevocation(draft, percent: 45, noting: .nonConsumableRevoked)
            if random.chance(30) { addRestoredCopies(of: draft, from: first) }
        }
    }

    /// Adds the transactions of a restored non-consumable.
    ///
    /// Each transaction has a new id, and the original id of the purchase.
    ///
    /// - Parameter first: The position of the first copy of the original transaction.
    private mutating func addRestoredCopies(of original: TransactionDraft, from first: Int) {
        let isRefunded = transactions[first...].contains { $0.revokedAt != nil }
        recordSituation(isRefunded ? .restoredCopyOfRefunded : .restoredCopy)
        for _ in 0..<random.pick(1, 1, 2) {
            var copy = original
            copy.id = nextID()
            copy.purchasedAt = original.purchasedAt.adding(days: random.pick(-3, 0, 0, 3, 28))
            copy.originallyPurchasedAt = original.purchasedAt
            copy.signedAt = original.signedAt.adding(days: random.pick(-1, 0, 0, 1, 31))
            if random.chance(25) {
                recordSituation(.restoredCopyRefunded)
                copy = copy.revoked(
                    at: copy.purchasedAt.adding(days: random.pick(-3, 0, 16)),
                    signedAt: random.chance(50) ? copy.signedAt : nil)
            }
            transactions.append(copy)
        }
        guard random.chance(30) else { return }
        recordSituation(.restoredCopyAlone)
        transactions.removeAll { $0.id == original.id && $0.environment == original.environment }
    }

    /// Adds evidence in which a product has a different type than in the catalog.
    private mutating func addConflictingType() {
        let types: [Product.ProductType] = [.nonConsumable, .nonRenewable, .consumable, .autoRenewable]
        guard let product = random.element(of: shop.catalog.products), let known = product.type,
            let type = random.element(of: types.filter { $0 != known })
        else { return }
        recordSituation(.conflictingType)
        var draft = TransactionDraft.purchase(of: product.id, type: type, at: start(), id: nextID())
        draft.environment = environment()
        if type == .autoRenewable {
            draft.expiresAt = draft.purchasedAt.adding(days: random.pick(3, 31))
            draft.subscriptionGroupID = random.element(of: shop.groups)?.id
            if let last = transactions.last(where: { $0.type == .autoRenewable }), random.chance(60) {
                recordSituation(.conflictingTypeInChain)
                (draft.originalID, draft.environment) = (last.originalID, last.environment)
                (draft.subscriptionGroupID, draft.ownership) = (last.subscriptionGroupID, last.ownership)
            }
        }
        addWithRevocation(draft, percent: 20, noting: .conflictingType)
    }

    /// Sets the app transaction id of a purchase, which is usually the same id for all purchases.
    private mutating func addDownload(to draft: inout TransactionDraft) {
        guard random.chance(30) else { return }
        draft.appTransactionID = random.pick("70", "70", "71")
        let others = transactions.filter { $0.environment == draft.environment }.compactMap(\.appTransactionID)
        if others.contains(where: { $0 != draft.appTransactionID }) { recordSituation(.severalDownloads) }
    }

    private mutating func addNonRenewing() {
        guard let product = random.element(of: shop.nonRenewing) else { return }
        let known = shop.catalog.product(product.id)
        if known?.accessDuration == nil {
            recordSituation(.nonRenewingOwned)
        } else {
            recordSituation(known?.stacking == .extend ? .nonRenewingExtend : .nonRenewingParallel)
        }
        for _ in 0..<random.number(in: 1...4) {
            var draft = TransactionDraft.purchase(of: product, at: start(), id: nextID())
            if random.chance(10) { draft.environment = environment() }
            draft.quantity = random.pick(1, 1, 1, 2, 3)
            if draft.quantity != 1, known?.accessDuration != nil { recordSituation(.nonRenewingQuantity) }
            addDownload(to: &draft)
            addWithRevocation(draft, percent: 20, noting: .nonRenewingRevoked)
        }
    }

    private mutating func addConsumables() {
        guard let product = random.element(of: shop.consumables) else { return }
        recordSituation(.consumable)
        if shop.catalog.product(product.id)?.grants.isEmpty == false { recordSituation(.consumableGrants) }
        for _ in 0..<random.number(in: 1...3) {
            var draft = TransactionDraft.purchase(of: product, at: start(), id: nextID())
            if random.chance(10) { draft.environment = environment() }
            draft.quantity = random.pick(1, 1, 3, 10, nil)
            if (draft.quantity ?? 1) > 1 { recordSituation(.consumableQuantity) }
            addWithRevocation(draft, percent: 40, noting: .consumableRefunded, reversal: .consumableRefundReversed)
        }
    }

    private mutating func addWithRevocation(
        _ draft: TransactionDraft, percent: Int, noting situation: HistorySituation,
        reversal: HistorySituation? = nil
    ) {
        var copies = [draft]
        if random.chance(percent) {
            recordSituation(situation)
            var type: RevocationType? = random.pick(.fullRefund, .proratedRefund, nil)
            if draft.ownership == .familyShared { type = .familyRevocation }
            if draft.ownership == .assigned { type = .assignmentRevocation }
            var percentage: Int64?
            if type == .proratedRefund {
                percentage = random.pick(33_333, 66_667, 50_000, 67_932, 33_334)
                recordSituation(.partialRefund)
            }
            let date = draft.purchasedAt.adding(days: random.pick(0, 3, 16, 28, 31))
            copies.append(draft.revoked(at: date, type: type, percentage: percentage))
            if random.chance(25), let newest = copies.last {
                copies.append(newest.reversed(signedAt: newest.signedAt.adding(days: 1)))
                if let reversal { recordSituation(reversal) }
            }
        }
        if random.chance(5), let newest = copies.last {
            var copy = newest
            copy.revokedAt = copy.revokedAt?.adding(days: 1)
            copy.storefront = "DEU"
            copies.append(copy)
            recordSituation(.equalSignedDate)
        }
        if copies.count > 1, random.chance(50) { copies.removeFirst() }
        transactions += copies
    }
}
