import Storekeeper

extension ReferenceModel {
    /// Returns the newest-signed copy of each transaction.
    ///
    /// Of copies with equal signing dates, the more restrictive copy is returned.
    static func newestCopies(_ copies: [Transaction]) -> [Transaction] {
        copies.indices.filter { index in
            !copies.indices.contains { other in
                other != index && isSameTransaction(copies[other], copies[index])
                    && (prevails(copies[other], over: copies[index])
                        || (!prevails(copies[index], over: copies[other]) && other < index))
            }
        }
        .map { copies[$0] }
    }

    private static func isSameTransaction(_ left: Transaction, _ right: Transaction) -> Bool {
        left.appBundleID == right.appBundleID && left.environment == right.environment && left.id == right.id
    }

    static func prevails(_ left: Transaction, over right: Transaction) -> Bool {
        // A signed transaction always supersedes a transaction from a receipt.
        if left.isFromReceipt != right.isFromReceipt { return right.isFromReceipt }
        if left.signedAt != right.signedAt { return left.signedAt > right.signedAt }
        if (left.revokedAt == nil) != (right.revokedAt == nil) { return left.revokedAt != nil }
        if let one = left.revokedAt, let other = right.revokedAt, one != other { return one < other }
        let (one, other) = (left.revocationPercentage ?? 100_000, right.revocationPercentage ?? 100_000)
        if one != other { return one > other }
        if left.isUpgraded != right.isUpgraded { return left.isUpgraded }
        // A subscription without an expiry gives no access, so it counts as the earliest.
        let (end, otherEnd) = (left.expiresAt ?? .distantPast, right.expiresAt ?? .distantPast)
        if end != otherEnd { return end < otherEnd }
        return right.source.payload.lexicographicallyPrecedes(left.source.payload)
    }

    /// Returns the newest transaction of each period.
    ///
    /// A restored purchase is another transaction of the same period, with a separate id.
    static func onePeriodEach(_ transactions: [Transaction]) -> [Transaction] {
        transactions.filter { transaction in
            !transactions.contains { isOnePeriod($0, transaction) && prevails($0, over: transaction) }
        }
    }

    private static func isOnePeriod(_ left: Transaction, _ right: Transaction) -> Bool {
        guard left.productType == .autoRenewable, right.productType == .autoRenewable, left.id != right.id,
            left.appBundleID == right.appBundleID, left.environment == right.environment,
            left.originalID == right.originalID, left.purchasedAt == right.purchasedAt
        else { return false }
        guard let item = left.webOrderLineItemID, let other = right.webOrderLineItemID else {
            // Two transactions that add seats are not copies of each other.
            if left.additionalTransactionReason != nil || right.additionalTransactionReason != nil { return false }
            return left.productID == right.productID && left.expiresAt == right.expiresAt
        }
        return item == other
    }

    /// Returns whether a renewal info overrides another renewal info.
    ///
    /// An info overrides another info that was signed earlier. Of two infos with equal signing dates, the more
    /// restrictive info overrides the other.
    ///
    /// Apple documents no order for equal dates. In our order, these differences are examined one after the other, and
    /// the first difference decides. An info overrides the other info if billing was given up, if its grace period ends
    /// earlier, if it is not in billing retry, if auto-renewal is off, or if its payload bytes are greater. A missing
    /// end of the grace period counts as the earliest end.
    static func prevails(_ left: RenewalInfo, over right: RenewalInfo) -> Bool {
        if left.signedAt != right.signedAt { return left.signedAt > right.signedAt }
        if indicatesGivenUp(left) != indicatesGivenUp(right) { return indicatesGivenUp(left) }
        let (end, otherEnd) = (
            left.gracePeriodExpiresAt ?? .distantPast, right.gracePeriodExpiresAt ?? .distantPast
        )
        if end != otherEnd { return end < otherEnd }
        if (left.billingRetryFlag == true) != (right.billingRetryFlag == true) { return left.billingRetryFlag != true }
        if (left.autoRenewStatus == .on) != (right.autoRenewStatus == .on) { return left.autoRenewStatus != .on }
        return right.source.payload.lexicographicallyPrecedes(left.source.payload)
    }

    /// Returns whether a renewal info shows that billing was given up.
    ///
    /// Billing was given up if auto-renewal is off and `isInBillingRetryPeriod` is false. If auto-renewal is off and
    /// `isInBillingRetryPeriod` is missing, billing was given up if the expiration intent is 1.
    static func indicatesGivenUp(_ info: RenewalInfo) -> Bool {
        guard info.autoRenewStatus?.rawValue == 0 else { return false }
        switch info.billingRetryFlag {
        case true?: return false
        case false?: return true
        case nil: return info.expirationReason?.rawValue == 1
        }
    }

    /// Returns whether an id is greater than another id.
    ///
    /// The ids are compared as text, after the shorter id was padded with leading zeros.
    static func isGreater(_ left: Transaction.ID, _ right: Transaction.ID) -> Bool {
        let width = max(left.rawValue.utf8.count, right.rawValue.utf8.count)
        func padded(_ id: Transaction.ID) -> [UInt8] {
            let text = Array(id.rawValue.utf8)
            return [UInt8](repeating: UInt8(ascii: "0"), count: width - text.count) + text
        }
        return padded(right).lexicographicallyPrecedes(padded(left))
    }
}
