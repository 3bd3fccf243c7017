public import StorekeeperEngine

/// The next renewal of a subscription, according to a response of `verifyReceipt`.
///
/// The response has no signature, so this value is never verified.
///
/// - SeeAlso: Apple, "App Store Receipts: Pending_renewal_info".
public struct ReceiptRenewal: Hashable, Sendable {
    /// The first transaction of the subscription.
    public let originalTransactionID: Transaction.ID
    /// The product of the current period.
    public let productID: Product.ID?
    /// The product of the next period.
    public let autoRenewProductID: Product.ID?
    /// Whether the subscription will renew.
    public let willAutoRenew: Bool?
    /// The reason why the subscription expired, as Apple's number.
    public let expirationIntent: Int64?
    /// Whether the App Store still tries to charge for an expired subscription.
    public let isInBillingRetry: Bool?
    /// The end of the grace period.
    public let gracePeriodExpiresAt: Instant?
    /// Whether the customer agreed to a higher price; `nil` if the price does not increase.
    public let hasConsentedToPriceIncrease: Bool?

    /// Creates a renewal.
    public init(
        originalTransactionID: Transaction.ID, productID: Product.ID? = nil, autoRenewProductID: Product.ID? = nil,
        willAutoRenew: Bool? = nil, expirationIntent: Int64? = nil, isInBillingRetry: Bool? = nil,
        gracePeriodExpiresAt: Instant? = nil, hasConsentedToPriceIncrease: Bool? = nil
    ) {
        self.originalTransactionID = originalTransactionID
        self.productID = productID
        self.autoRenewProductID = autoRenewProductID
        self.willAutoRenew = willAutoRenew
        self.expirationIntent = expirationIntent
        self.isInBillingRetry = isInBillingRetry
        self.gracePeriodExpiresAt = gracePeriodExpiresAt
        self.hasConsentedToPriceIncrease = hasConsentedToPriceIncrease
    }
}
