import Storekeeper

extension HistoryWriter {
    /// Adds the transactions of a chain.
    ///
    /// Some transactions are revoked, and some have several copies.
    mutating func addCopies(of chain: [TransactionDraft]) {
        let revoked = random.chance(35) ? random.number(in: 0...max(0, chain.count - 1)) : nil
        let hasSeats = chain.contains { $0.additionalReason != nil }
        for (position, draft) in chain.enumerated() {
            var copies = [draft]
            if draft.isUpgraded == true, random.chance(50) {
                var before = draft
                before.isUpgraded = nil
                copies = [before, draft.signed(at: draft.signedAt.adding(days: random.pick(1, 3)))]
            }
            if position == chain.count - 1, let expiry = draft.expiresAt, !hasSeats, random.chance(5) {
                var extended = draft.signed(at: draft.signedAt.adding(days: 1))
                extended.expiresAt = expiry.adding(days: 14)
                copies.append(extended)
                recordSituation(.extendedPeriod)
            }
            if position == revoked, let newest = copies.last { copies += revocations(of: newest) }
            if random.chance(6), let newest = copies.last {
                copies.append(contradiction(of: newest, movesExpiry: !hasSeats))
                recordSituation(.equalSignedDate)
            }
            // The oldest copy is often missing.
            if copies.count > 1, random.chance(50) { copies.removeFirst() }
            transactions += hasSeats ? copies.map { copy in namingAddition(copy, to: chain) } : copies
        }
    }

    /// Returns a copy with the reason that the App Store gives to each copy that it signs after seats were added.
    ///
    /// All transactions of a period with added seats have this reason and end together, so no copy may lack the reason or
    /// have another expiry than the others.
    private func namingAddition(_ copy: TransactionDraft, to chain: [TransactionDraft]) -> TransactionDraft {
        let isAdded = chain.contains { other in
            other.additionalReason != nil && other.purchasedAt <= copy.signedAt && other.productID == copy.productID
                && other.expiresAt != nil && other.expiresAt == copy.expiresAt
        }
        var copy = copy
        if isAdded { copy.additionalReason = .seatAddition }
        return copy
    }

    /// Returns a copy with a revocation, and in some cases another copy with the reversal of the revocation.
    private mutating func revocations(of draft: TransactionDraft) -> [TransactionDraft] {
        let expiry = draft.expiresAt ?? draft.purchasedAt
        let date: Instant
        switch random.number(in: 1...4) {
        case 1:
            date = draft.purchasedAt
            recordSituation(.refundAtPurchase)
        case 2:
            date = expiry.adding(days: random.pick(0, 3, 16))
            recordSituation(.refundOfPastPeriod)
        case 3 where draft.signedAt < draft.purchasedAt:
            date = draft.signedAt
            recordSituation(.refundOfFuturePeriod)
        default:
            date = min(draft.purchasedAt.adding(days: random.pick(3, 14, 16)), expiry)
            recordSituation(.refundOfCurrentPeriod)
        }
        if draft.isUpgraded == true { recordSituation(.refundOfUpgraded) }
        let type = revocationType(for: draft.ownership)
        let percentage: Int64? = type == .proratedRefund ? random.pick(50_000, 67_932) : nil
        let copy = draft.revoked(at: date, type: type, percentage: percentage)
        guard random.chance(25) else { return [copy] }
        recordSituation(.refundReversed)
        return [copy, copy.reversed(signedAt: copy.signedAt.adding(days: random.pick(1, 3)))]
    }

    private mutating func revocationType(for ownership: OwnershipType?) -> RevocationType? {
        switch ownership {
        case OwnershipType.familyShared?:
            recordSituation(.familyRevoked)
            return random.pick(.familyRevocation, .familyRevocation, nil)
        case OwnershipType.assigned?:
            recordSituation(.assignmentRevoked)
            return random.pick(.assignmentRevocation, .assignmentRevocation, nil)
        default:
            return random.pick(.fullRefund, .proratedRefund, nil)
        }
    }

    /// Returns a copy with the same signing date and different contents.
    private mutating func contradiction(of draft: TransactionDraft, movesExpiry: Bool) -> TransactionDraft {
        var copy = draft
        switch random.number(in: 1...5) {
        case 1: copy = draft.revoked(at: draft.purchasedAt.adding(days: 3), signedAt: draft.signedAt)
        case 2:
            copy = draft.revoked(
                at: draft.revokedAt ?? draft.purchasedAt, percentage: random.pick(40_000, 100_000),
                signedAt: draft.signedAt)
        case 3: copy.isUpgraded = draft.isUpgraded == true ? nil : true
        case 4 where movesExpiry: copy.expiresAt = draft.expiresAt?.adding(days: random.pick(-3, 3))
        default: copy.storefront = "DEU"
        }
        return copy
    }
}
