/// How much of what a purchase added a refund takes back: the one rule, for ledgers, their audit and balances from
/// evidence alone.
///
/// - SeeAlso: Apple, "App Store Server API: revocationPercentage".
package enum RefundShare {
    /// What a transaction's refund takes of what it added; nothing where it was not revoked.
    ///
    /// The percentage is over the whole quantity, and the App Store rounds it: 33333 is one of three. Where it is what
    /// a number of whole units rounds to, that many units come back exactly; else the share, rounded down in the
    /// customer's favour.
    ///
    /// - Parameters:
    ///   - transaction: The newest copy, which says how much of it was refunded in total.
    ///   - full: What the purchase added: its quantity × what one unit grants.
    package static func taken(by transaction: Transaction, of full: Int64) -> Int64 {
        guard transaction.revokedAt != nil else { return 0 }
        let percentage = min(max(transaction.revocationPercentage ?? 100_000, 0), 100_000)
        let quantity = Int64(transaction.purchasedQuantity)
        // Quantities are at most a thousand million, so that this is far from overflowing.
        let refunded = percentage * quantity
        let units = (refunded + 49_999) / 100_000
        guard 2 * (refunded - units * 100_000).magnitude <= quantity else { return part(percentage, of: 100_000, full) }
        return part(units, of: quantity, full)
    }

    /// A part of an amount, rounded down.
    private static func part(_ numerator: Int64, of denominator: Int64, _ amount: Int64) -> Int64 {
        denominator.dividingFullWidth(amount.multipliedFullWidth(by: numerator)).quotient
    }
}
