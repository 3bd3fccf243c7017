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
    /// The renewal info about the current transaction that holds at the instant.
    package let info: RenewalInfoFact?
    /// The renewal info whose statements about a failed renewal hold at the instant; `nil` before the expiry.
    let failure: RenewalInfoFact?
    /// The reason why the transaction gives no access; `nil` if it gives access.
    package let lapsedReason: EntitlementAnswer.LapsedReason?
    /// The end of the grace period, exclusive; `nil` if no grace period follows the current period.
    public let gracePeriodExpiresAt: Instant?
    /// The level of service of the product in its group, 1 being the highest; `nil` if no catalog defines one.
    public let groupLevel: Int?

    /// The transaction that is current at the instant.
    public var transaction: Transaction { fact.transaction }
    /// The renewal info about the current transaction that holds at the instant; `nil` if none is known.
    ///
    /// A renewal info holds from its signing until the next one about the same transaction is signed. The first renewal
    /// info also holds before its signing.
    public var renewalInfo: RenewalInfo? { info?.renewalInfo }

    /// The latest time until which the App Store tries to bill, exclusive: 60 days after the expiry, or 90 days for the
    /// monthly payments of a commitment.
    package var billingRetryEndsAt: Instant { transaction.billingRetryEnd }

    /// The reason why the subscription expired or could not be renewed; `nil` while a period is running, and after a
    /// revocation.
    public var expirationReason: ExpirationReason? {
        let reason = failure?.renewalInfo.expirationReason
        switch state {
        case .expired: return reason.map { $0.isKnown ? $0 : .unknown } ?? .unknown
        case .inGracePeriod, .inBillingRetryPeriod: return reason.map { $0.isKnown ? $0 : .unknown }
        case .subscribed, .revoked: return nil
        }
    }

    /// Returns whether the App Store tries to bill at an instant; `nil` if no renewal info exists.
    public func isInBillingRetry(at instant: Instant) -> Bool? {
        guard info != nil else { return nil }
        return failure?.renewalInfo.isInBillingRetry == true && instant < transaction.billingRetryEnd
    }

    /// The same status, but without access.
    package var withoutAccess: SubscriptionStatus {
        SubscriptionStatus(
            state: state, isEntitled: false, fact: fact, info: info, failure: failure,
            lapsedReason: lapsedReason, gracePeriodExpiresAt: gracePeriodExpiresAt, groupLevel: groupLevel)
    }
}

extension SubscriptionStatus {
    /// Creates the status during a phase of the current transaction.
    init(
        _ phase: SubscriptionPhase, isEntitled: Bool, fact: TransactionFact, gracePeriodExpiresAt: Instant?,
        groupLevel: Int?
    ) {
        self.init(
            state: phase.state, isEntitled: isEntitled, fact: fact, info: phase.info, failure: phase.failure,
            lapsedReason: phase.access.lapsedReason, gracePeriodExpiresAt: gracePeriodExpiresAt, groupLevel: groupLevel)
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
