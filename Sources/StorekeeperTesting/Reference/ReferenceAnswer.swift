public import Storekeeper

/// The reference model's answer about a product, in the command line's terms.
public struct ReferenceAnswer: Hashable, Sendable {
    /// `entitled`, `lapsed`, `never` or `unknown`.
    public var answer: String
    /// The reason, such as `active`.
    public var reason: String
    /// The transaction that decides; absent for `never`.
    public var transactionID: String?
    /// Its chain.
    public var originalTransactionID: String?
    /// `purchased`, `familyShared`, `assigned`, or an unknown value unchanged.
    public var ownership: String?
    /// The transaction's environment.
    public var environment: String?

    /// Creates an answer.
    public init(
        answer: String, reason: String, transactionID: String? = nil, originalTransactionID: String? = nil,
        ownership: String? = nil, environment: String? = nil
    ) {
        self.answer = answer
        self.reason = reason
        self.transactionID = transactionID
        self.originalTransactionID = originalTransactionID
        self.ownership = ownership
        self.environment = environment
    }

    /// No purchase until then.
    public static let never = ReferenceAnswer(answer: "never", reason: "noPurchase")
}

/// The reference model's answer about a feature.
public struct ReferenceFeatureAnswer: Hashable, Sendable {
    /// `entitled`, `lapsed`, `never` or `unknown`.
    public var answer: String
    /// The reason, such as `active`.
    public var reason: String
    /// The product that gives the answer; absent for `never`.
    public var by: Product.ID?

    /// Creates an answer.
    public init(answer: String, reason: String, by: Product.ID? = nil) {
        self.answer = answer
        self.reason = reason
        self.by = by
    }
}

/// The reference model's status of one chain of auto-renewable subscriptions.
public struct ReferenceStatus: Hashable, Sendable {
    /// The group; `nil` if neither evidence nor catalog names one.
    public var groupID: SubscriptionGroup.ID?
    /// The chain.
    public var originalTransactionID: String
    /// The chain's environment.
    public var environment: String
    /// The current transaction.
    public var transactionID: String
    /// Its product.
    public var productID: Product.ID
    /// `subscribed`, `inGracePeriod`, `inBillingRetryPeriod`, `expired` or `revoked`.
    public var state: String
    /// Whether the chain gives access.
    public var entitled: Bool
    /// The level of the product, with 1 the highest; `nil` if the catalog does not contain it.
    public var groupLevel: Int?
    /// `purchased`, `familyShared`, `assigned`, or an unknown value unchanged.
    public var ownership: String
    /// Whether the subscription will renew; `nil` without a renewal info, or if it does not say.
    public var willAutoRenew: Bool?
    /// The product of the next renewal; `nil` without a renewal info.
    public var autoRenewProductID: Product.ID?
    /// The end of the current transaction's period.
    public var expires: Instant?
    /// The effective end of grace, if it is after the expiry.
    public var gracePeriodExpires: Instant?
    /// Whether the App Store retries billing; `nil` without a renewal info.
    public var inBillingRetry: Bool?
    /// The expiration reason, in the command line's terms.
    public var expirationReason: String?

    /// Creates a status.
    public init(
        groupID: SubscriptionGroup.ID?, originalTransactionID: String, environment: String, transactionID: String,
        productID: Product.ID, state: String, entitled: Bool, groupLevel: Int?, ownership: String,
        willAutoRenew: Bool? = nil, autoRenewProductID: Product.ID? = nil, expires: Instant? = nil,
        gracePeriodExpires: Instant? = nil, inBillingRetry: Bool? = nil, expirationReason: String? = nil
    ) {
        self.groupID = groupID
        self.originalTransactionID = originalTransactionID
        self.environment = environment
        self.transactionID = transactionID
        self.productID = productID
        self.state = state
        self.entitled = entitled
        self.groupLevel = groupLevel
        self.ownership = ownership
        self.willAutoRenew = willAutoRenew
        self.autoRenewProductID = autoRenewProductID
        self.expires = expires
        self.gracePeriodExpires = gracePeriodExpires
        self.inBillingRetry = inBillingRetry
        self.expirationReason = expirationReason
    }
}

/// The reference model's balance, from evidence alone.
public struct ReferenceBalance: Hashable, Sendable {
    /// The balance.
    public var id: Balance.ID
    /// The units added by purchases.
    public var credited: Int64
    /// The units removed by refunds.
    public var clawedBack: Int64
    /// The remaining units.
    public var balance: Int64

    /// Creates a balance.
    public init(id: Balance.ID, credited: Int64, clawedBack: Int64, balance: Int64) {
        self.id = id
        self.credited = credited
        self.clawedBack = clawedBack
        self.balance = balance
    }
}

/// A span with equal answer and reason.
public struct ReferenceRun: Hashable, Sendable {
    /// The first instant of the run; `nil`: without a start.
    public var since: Instant?
    /// The first instant after the run; `nil`: without an end.
    public var until: Instant?

    /// Creates a run.
    public init(since: Instant?, until: Instant?) {
        self.since = since
        self.until = until
    }
}
