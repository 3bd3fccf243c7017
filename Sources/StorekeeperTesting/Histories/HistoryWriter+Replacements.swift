import Storekeeper

extension HistoryWriter {
    /// Adds transactions that add seats to a period of the chain, and refunds of some of the period's transactions.
    mutating func addSeats(to chain: inout [TransactionDraft]) {
        let index = random.number(in: 0...chain.count - 1)
        let end = min(
            chain[index].expiresAt ?? .distantPast,
            index + 1 < chain.count ? chain[index + 1].purchasedAt : .distantFuture)
        var period = [chain[index]]
        for _ in 0..<random.pick(1, 1, 2) {
            guard let last = period.last, case let instant = last.purchasedAt.adding(days: random.pick(0, 1, 3, 14)),
                instant < end
            else { break }
            if random.chance(70) {
                // The App Store signs the older transaction again.
                period[period.count - 1].additionalReason = .seatAddition
                period[period.count - 1].signedAt = max(last.signedAt, instant)
            } else {
                recordSituation(.seatAdditionUnknownToOlder)
            }
            period.append(.seatAddition(to: last, at: instant, seats: 3, id: nextID()))
            recordSituation(.seatAddition)
        }
        guard period.count > 1 else { return }
        if random.chance(60) {
            for number in period.indices {
                if random.chance(50) { period[number].webOrderLineItemID = "w" + period[number].id.rawValue }
                guard random.chance(60) else { continue }
                period[number] = period[number].revoked(
                    at: period[number].purchasedAt.adding(days: random.pick(0, 1, 3, 14, 31)))
                recordSituation(.seatsRefunded)
            }
            if period.allSatisfy({ $0.revokedAt != nil }) { recordSituation(.allSeatsRefunded) }
        }
        chain.replaceSubrange(index...index, with: period)
    }

    /// Ends the chain by a move to a bundle or out of a bundle, which starts another chain.
    mutating func replace(_ chain: inout [TransactionDraft], in group: GeneratedShop.Group) {
        guard let last = chain.last, let product = random.element(of: group.products) else { return }
        let instant = last.purchasedAt.adding(days: random.pick(0, 3, 14, 31))
        var successor = TransactionDraft.purchase(of: product, at: instant, id: nextID())
        successor.environment = last.environment
        successor.subscriptionGroupID = last.subscriptionGroupID
        successor.expiresAt = end(of: product, from: instant, plan: nil)
        successor.ownership = last.ownership
        successor.previousOriginalID = last.originalID
        switch random.number(in: 1...4) {
        case 1:
            chain[chain.count - 1] = last.movedToBundle(at: instant)
            recordSituation(.movedToUnknownBundle)
            return
        case 2:
            // The customer leaves a bundle. The new chain names the bundle.
            let bundle = "b" + successor.id.rawValue
            for index in chain.indices { chain[index].otherMembers["bundleOriginalTransactionId"] = .string(bundle) }
            successor.previousOriginalID = Transaction.ID(rawValue: bundle)
            if random.chance(50) { chain[chain.count - 1] = chain[chain.count - 1].revoked(at: instant) }
            recordSituation(.leftBundle)
        default:
            chain[chain.count - 1] = last.movedToBundle(at: instant)
            recordSituation(.movedToBundle)
        }
        addCopies(of: [successor])
    }
}
