/// The information about a subscription group that an app can show to a customer: its highest subscription, and a
/// sentence.
public struct SubscriptionInfo: Sendable {
    /// The group; `nil` if the catalog does not contain it.
    public let group: SubscriptionGroup?
    /// The product of the current period; `nil` if the catalog does not contain it.
    public let product: Product?
    /// The product of the next period; `nil` if it is the current product, or if the catalog does not contain it.
    public let nextProduct: Product?
    /// The status with the highest level of service.
    public let status: SubscriptionStatus
    /// The instant of the status.
    public let instant: Instant

    /// The current transaction of the subscription.
    public var transaction: Transaction { status.transaction }
    /// The offer of the current period, for example a free trial; `nil` for a period at the regular price.
    public var offer: Transaction.Offer? { transaction.offer }
    /// The renewal info of the subscription; `nil` if none is known.
    public var renewalInfo: RenewalInfo? { status.renewalInfo }

    /// A sentence in English that tells the customer the state of the subscription.
    ///
    /// Examples are `Renews in 12 days.` and `Cancelled. Ends in 12 days.`
    public var sentence: String {
        switch status.state {
        case .subscribed: subscribed
        case .inGracePeriod:
            PaymentSentence.gracePeriod(endingIn: words(for: status.gracePeriodExpiresAt ?? instant))
        case .inBillingRetryPeriod: PaymentSentence.billingRetry
        case .expired: expired
        case .revoked: revoked
        }
    }

    private var subscribed: String {
        (offer?.isFreeTrial == true ? "Free trial. " : "") + whatFollows
    }

    private var whatFollows: String {
        guard let end = transaction.expiresAt else { return "Subscribed." }
        guard let info = renewalInfo, let renews = info.autoRenewStatus?.isOn else {
            return "The period ends \(words(for: end))."
        }
        guard renews else { return "Cancelled. Ends \(words(for: end))." }
        if info.priceIncreaseStatus == .pending {
            return "Please accept or decline the new price. Without your consent it ends \(words(for: end))."
        }
        let change = nextProduct.map { "Changes to \($0.displayName ?? $0.id.rawValue)" } ?? "Renews"
        return "\(change) \(words(for: end))."
    }

    private var expired: String {
        let end = "nded \(words(for: transaction.expiresAt ?? transaction.purchasedAt))"
        return switch status.expirationReason {
        case .autoRenewDisabled: "Cancelled. E\(end)."
        case .billingError: "E\(end), because the payment failed."
        case .didNotConsentToPriceIncrease: "E\(end), because the new price was not accepted."
        case .productUnavailable: "E\(end), because it is no longer sold."
        default: "E\(end)."
        }
    }

    private var revoked: String {
        let when = words(for: transaction.revokedAt ?? instant)
        return (status.lapsedReason ?? .refunded).sentence(ofRevocation: when)
    }

    private func words(for other: Instant) -> String { RelativeTime.words(for: other, at: instant) }
}
