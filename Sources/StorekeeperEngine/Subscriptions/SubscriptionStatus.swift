/// The status of one subscription of a customer (a line of service) at an instant.
///
/// A customer may have several statuses in one group: the status of their own subscription, and the statuses of
/// subscriptions that family members share.
///
/// - SeeAlso: Apple, "StoreKit: Product.SubscriptionInfo.Status".
public struct SubscriptionStatus: Equatable, Sendable {
    /// The state.
    public let state: RenewalState
    /// Whether the status gives access.
    public let isEntitled: Bool
    /// The transaction that is current at the instant.
    package let fact: TransactionFact
    /// The renewal info that applies to the current transaction.
    package let info: RenewalInfoFact?
    /// The end of the grace period, exclusive; `nil` if no grace period follows the current period.
    public let gracePeriodExpiresAt: Instant?
    /// The level of service of the product in its group, 1 being the highest; `nil` if no catalog defines one.
    public let groupLevel: Int?

    /// The transaction that is current at the instant.
    public var transaction: Transaction { fact.transaction }
    /// The renewal info that applies to the current transaction; `nil` if none is known.
    public var renewalInfo: RenewalInfo? { info?.renewalInfo }

    /// The latest time until which the App Store tries to bill, exclusive: 60 days after the expiry, or 90 days for the
    /// monthly payments of a commitment.
    package var billingRetryEndsAt: Instant { transaction.billingRetryEnd }

    /// The reason why the subscription expired or could not be renewed; `nil` while a period is running, and after a
    /// revocation.
    public var expirationReason: ExpirationReason? {
        let reason = renewalInfo?.ofFailedRenewal(after: transaction)?.expirationReason
        switch state {
        case .expired: return reason.map { $0.isKnown ? $0 : .unknown } ?? .unknown
        case .inGracePeriod, .inBillingRetryPeriod: return reason.map { $0.isKnown ? $0 : .unknown }
        case .subscribed, .revoked: return nil
        }
    }

    /// Returns whether the App Store tries to bill at an instant; `nil` if no renewal info exists.
    public func isInBillingRetry(at instant: Instant) -> Bool? {
        guard let info = renewalInfo else { return nil }
        let expiry = transaction.subscriptionPeriodEnd
        return info.ofFailedRenewal(after: transaction)?.isInBillingRetry == true && expiry <= instant
            && instant < transaction.billingRetryEnd
    }

    /// The same status, but without access.
    package var withoutAccess: SubscriptionStatus {
        SubscriptionStatus(
            state: state, isEntitled: false, fact: fact, info: info,
            gracePeriodExpiresAt: gracePeriodExpiresAt, groupLevel: groupLevel)
    }
}

extension Transaction {
    /// The end of the period.
    ///
    /// For a transaction without an expiry, this is the purchase date, so that the transaction never gives access.
    var subscriptionPeriodEnd: Instant { expiresAt ?? purchasedAt }

    /// The latest time until which the App Store tries to bill: 60 days after the expiry, or 90 days for the monthly
    /// payments of a commitment.
    ///
    /// - SeeAlso: Apple, "Reducing involuntary subscriber churn".
    var billingRetryEnd: Instant { subscriptionPeriodEnd.adding(days: billingPlanType == .monthly ? 90 : 60) }
}
