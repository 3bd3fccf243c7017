/// The share of a credit that a refund takes back.
///
/// The same rule is used for ledgers, for the audit of ledgers, and for balances that are computed from evidence alone.
///
/// - SeeAlso: Apple, "App Store Server API: revocationPercentage".
package enum RefundShare {
    /// Returns the amount that a transaction's refund takes from its credit; 0 if the transaction was not revoked, or if
    /// the customer moved to a bundle, which is not a refund.
    ///
    /// The percentage is a share of the whole quantity, and the App Store rounds it; for example, 33333 means one of
    /// three units. If the percentage differs from a whole number of units only by rounding, exactly that many units
    /// are taken back. Any other percentage is applied to the amount, and the result is rounded down in the customer's
    /// favor.
    ///
    /// - Parameters:
    ///   - transaction: The newest signed copy of the transaction, which contains the total percentage that was
    ///     refunded so far.
    ///   - full: The credited amount: the quantity × the amount that one unit credits.
    package static func taken(by transaction: Transaction, of full: Int64) -> Int64 {
        guard transaction.revokedAt != nil, transaction.revocationReason != .upgradedToBundle else { return 0 }
        let percentage = min(max(transaction.revocationPercentage ?? 100_000, 0), 100_000)
        let quantity = Int64(transaction.purchasedQuantity)
        // Quantities are at most 1,000,000,000, so this product cannot overflow.
        let refunded = percentage * quantity
        let units = (refunded + 49_999) / 100_000
        guard 2 * (refunded - units * 100_000).magnitude <= quantity else { return part(percentage, of: 100_000, full) }
        return part(units, of: quantity, full)
    }

    /// Returns a fraction of an amount, rounded down to a whole number.
    private static func part(_ numerator: Int64, of denominator: Int64, _ amount: Int64) -> Int64 {
        denominator.dividingFullWidth(amount.multipliedFullWidth(by: numerator)).quotient
    }
}
