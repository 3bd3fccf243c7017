import Storekeeper

extension HistoryWriter {
    /// Adds a transaction that begins at the same instant as another transaction of the chain.
    ///
    /// Equal start instants are rare in the App Store, but common with a virtual clock.
    mutating func addTie(to chain: inout [TransactionDraft], in group: GeneratedShop.Group) {
        if random.chance(60) {
            for index in chain.indices { chain[index].webOrderLineItemID = "w" + chain[index].id.rawValue }
        }
        let index = random.chance(60) ? chain.count - 1 : random.number(in: 0...chain.count - 1)
        var tied = chain[index]
        tied.id = nextID()
        switch random.number(in: 1...3) {
        case 1:
            // The added transaction is a restored purchase of the same period, with another signing date and sometimes
            // a refund.
            recordSituation(.restoredRecord)
            tied.signedAt = tied.signedAt.adding(days: random.pick(-1, 0, 1, 3))
            if random.chance(30) { tied.webOrderLineItemID = nil }
            if random.chance(30) { tied = tied.revoked(at: tied.purchasedAt.adding(days: random.pick(0, 3))) }
        case 2:
            recordSituation(.boughtAgainAtOnce)
            if tied.webOrderLineItemID != nil { tied.webOrderLineItemID = "w" + tied.id.rawValue }
            chain[index] = chain[index].revoked(at: chain[index].purchasedAt)
        default:
            guard let other = random.element(of: group.products) else { return }
            recordSituation(.changeWithoutFlagAtOnce)
            if tied.webOrderLineItemID != nil { tied.webOrderLineItemID = "w" + tied.id.rawValue }
            tied.productID = other.id
            tied.expiresAt = end(of: other, from: tied.purchasedAt, plan: tied.billingPlanType)
            if random.chance(40) { chain[index].isUpgraded = true }
        }
        chain.insert(tied, at: random.chance(50) ? index : index + 1)
    }

    /// Adds a subscription of another group to a chain.
    mutating func addOtherGroup(to chain: inout [TransactionDraft]) {
        guard let last = chain.last, let other = random.element(of: shop.groups),
            let product = random.element(of: other.products)
        else { return }
        let start = last.purchasedAt.adding(days: random.pick(0, 3, 31, 60))
        var draft = TransactionDraft.change(
            of: last, to: product.id, at: start,
            expires: end(of: product, from: start, plan: last.billingPlanType), id: nextID())
        draft.subscriptionGroupID = groupID(of: other, in: last.environment)
        chain.insert(draft, at: random.chance(70) ? chain.count : 0)
        if draft.subscriptionGroupID != last.subscriptionGroupID { recordSituation(.chainInTwoGroups) }
    }
}
