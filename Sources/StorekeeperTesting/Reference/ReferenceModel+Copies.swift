import Storekeeper

extension ReferenceModel {
    /// Of all copies of a transaction the one signed last; of equals, the more restrictive.
    static func newestCopies(_ copies: [Transaction]) -> [Transaction] {
        copies.indices.filter { index in
            !copies.indices.contains { other in
                other != index && isSameTransaction(copies[other], copies[index])
                    && (wins(copies[other], over: copies[index])
                        || (!wins(copies[index], over: copies[other]) && other < index))
            }
        }
        .map { copies[$0] }
    }

    private static func isSameTransaction(_ left: Transaction, _ right: Transaction) -> Bool {
        left.appBundleID == right.appBundleID && left.environment == right.environment && left.id == right.id
    }

    static func wins(_ left: Transaction, over right: Transaction) -> Bool {
        if left.signedAt != right.signedAt { return left.signedAt > right.signedAt }
        if (left.revokedAt == nil) != (right.revokedAt == nil) { return left.revokedAt != nil }
        if let one = left.revokedAt, let other = right.revokedAt, one != other { return one < other }
        let (one, other) = (left.revocationPercentage ?? 100_000, right.revocationPercentage ?? 100_000)
        if one != other { return one > other }
        if left.isUpgraded != right.isUpgraded { return left.isUpgraded }
        // No expiry gives no access at all to a subscription, so it counts as the earliest.
        let (end, otherEnd) = (left.expiresAt ?? .distantPast, right.expiresAt ?? .distantPast)
        if end != otherEnd { return end < otherEnd }
        return right.source.payload.lexicographicallyPrecedes(left.source.payload)
    }

    /// Of records of one period the newest: a restored purchase has an id of its own.
    static func onePeriodEach(_ transactions: [Transaction]) -> [Transaction] {
        transactions.filter { transaction in
            !transactions.contains { isOnePeriod($0, transaction) && wins($0, over: transaction) }
        }
    }

    private static func isOnePeriod(_ left: Transaction, _ right: Transaction) -> Bool {
        guard left.productType == .autoRenewable, right.productType == .autoRenewable, left.id != right.id,
            left.appBundleID == right.appBundleID, left.environment == right.environment,
            left.originalID == right.originalID, left.purchasedAt == right.purchasedAt
        else { return false }
        guard let item = left.webOrderLineItemID, let other = right.webOrderLineItemID else {
            return left.productID == right.productID && left.expiresAt == right.expiresAt
        }
        return item == other
    }

    /// Whether one renewal info counts before another: it was signed later; of equals, it is the more restrictive.
    ///
    /// The pages give no order of content; this one is: gave up, then the earlier end of grace (none is the
    /// earliest), then no billing retry, then no auto-renewal, then the greater payload bytes.
    static func wins(_ left: RenewalInfo, over right: RenewalInfo) -> Bool {
        if left.signedAt != right.signedAt { return left.signedAt > right.signedAt }
        if saysGivenUp(left) != saysGivenUp(right) { return saysGivenUp(left) }
        let (end, otherEnd) = (
            left.gracePeriodExpiresAt ?? .distantPast, right.gracePeriodExpiresAt ?? .distantPast
        )
        if end != otherEnd { return end < otherEnd }
        if (left.billingRetryFlag == true) != (right.billingRetryFlag == true) { return left.billingRetryFlag != true }
        if (left.autoRenewStatus == .on) != (right.autoRenewStatus == .on) { return left.autoRenewStatus != .on }
        return right.source.payload.lexicographicallyPrecedes(left.source.payload)
    }

    /// Whether a renewal info says that auto-renewal is off, and that retry is false or, where it says nothing of retry,
    /// the expiration intent 1.
    static func saysGivenUp(_ info: RenewalInfo) -> Bool {
        guard info.autoRenewStatus?.rawValue == 0 else { return false }
        switch info.billingRetryFlag {
        case true?: return false
        case false?: return true
        case nil: return info.expirationReason?.rawValue == 1
        }
    }

    /// Whether one id comes after another: compared as text, the shorter filled up with zeros in front.
    static func isGreater(_ left: Transaction.ID, _ right: Transaction.ID) -> Bool {
        let width = max(left.rawValue.utf8.count, right.rawValue.utf8.count)
        func padded(_ id: Transaction.ID) -> [UInt8] {
            let text = Array(id.rawValue.utf8)
            return [UInt8](repeating: UInt8(ascii: "0"), count: width - text.count) + text
        }
        return padded(right).lexicographicallyPrecedes(padded(left))
    }
}
