/// Where one line of service stands at an instant.
///
/// A customer may have several in one group: an own one, and copies that the family shares.
///
/// - SeeAlso: Apple, "StoreKit: Product.SubscriptionInfo.Status".
public struct SubscriptionStatus: Equatable, Sendable {
    /// Where it stands.
    public let state: RenewalState
    /// Whether it gives access.
    public let isEntitled: Bool
    /// The transaction that is current at the instant.
    package let fact: TransactionFact
    /// The renewal info that holds for the current transaction.
    package let info: RenewalInfoFact?
    /// The end of the grace period that holds, exclusive; `nil` where there is none.
    public let gracePeriodExpiresAt: Instant?
    /// The level of service of the product in its group, 1 the highest; `nil` where no catalog says.
    public let groupLevel: Int?

    /// The transaction that is current at the instant.
    public var transaction: Transaction { fact.transaction }
    /// What the App Store intends; `nil` where nothing is known that speaks of the current transaction.
    public var renewalInfo: RenewalInfo? { info?.renewalInfo }

    /// When the App Store gives up billing at the latest, exclusive: 60 days after the expiry, 90 for the monthly
    /// payments of a commitment.
    package var billingRetryEndsAt: Instant { transaction.billingRetryEnd }

    /// Why it expired or fails to renew; `nil` while it runs or is revoked.
    public var expirationReason: ExpirationReason? {
        let reason = renewalInfo?.ofFailedRenewal(after: transaction)?.expirationReason
        switch state {
        case .expired: return reason.map { $0.isKnown ? $0 : .unknown } ?? .unknown
        case .inGracePeriod, .inBillingRetryPeriod: return reason.map { $0.isKnown ? $0 : .unknown }
        case .subscribed, .revoked: return nil
        }
    }

    /// Whether the App Store tries to bill at an instant; `nil` where nothing is known.
    public func isInBillingRetry(at instant: Instant) -> Bool? {
        guard let info = renewalInfo else { return nil }
        let expiry = transaction.subscriptionPeriodEnd
        return info.ofFailedRenewal(after: transaction)?.isInBillingRetry == true && expiry <= instant
            && instant < transaction.billingRetryEnd
    }

    /// The same, giving no access.
    package var withoutAccess: SubscriptionStatus {
        SubscriptionStatus(
            state: state, isEntitled: false, fact: fact, info: info,
            gracePeriodExpiresAt: gracePeriodExpiresAt, groupLevel: groupLevel)
    }
}

extension Transaction {
    /// The end of the period; of a subscription whose record gives none, its start, so that it entitles
    /// at no instant.
    var subscriptionPeriodEnd: Instant { expiresAt ?? purchasedAt }

    /// When the App Store gives up billing at the latest: 60 days after the expiry, 90 for the monthly
    /// payments of a commitment.
    ///
    /// - SeeAlso: Apple, "Reducing involuntary subscriber churn".
    var billingRetryEnd: Instant { subscriptionPeriodEnd.adding(days: billingPlanType == .monthly ? 90 : 60) }
}
