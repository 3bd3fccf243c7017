public import Storekeeper

/// The reference model's answer about a product, in the terms that the `storekeeper` command prints.
public struct ReferenceAnswer: Hashable, Sendable {
    /// `entitled`, `lapsed`, `never` or `unknown`.
    public var answer: String
    /// The reason, such as `active`.
    public var reason: String
    /// The transaction that decides the answer; `nil` for `never`.
    public var transactionID: String?
    /// The original transaction, which identifies the chain of the deciding transaction.
    public var originalTransactionID: String?
    /// `purchased`, `familyShared`, `assigned`, or the App Store's value if it is none of the known values.
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

    /// The answer for a product that was not purchased before the instant of the answer.
    public static let never = ReferenceAnswer(answer: "never", reason: "noPurchase")
}

/// The reference model's answer about a feature.
public struct ReferenceFeatureAnswer: Hashable, Sendable {
    /// `entitled`, `lapsed`, `never` or `unknown`.
    public var answer: String
    /// The reason, such as `active`.
    public var reason: String
    /// The product that decides the answer; `nil` for `never`.
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
    /// The subscription group; `nil` if neither the evidence nor the catalog names a group.
    public var groupID: SubscriptionGroup.ID?
    /// The original transaction, which identifies the chain.
    public var originalTransactionID: String
    /// The chain's environment.
    public var environment: String
    /// The current transaction of the chain.
    public var transactionID: String
    /// The product of the current transaction.
    public var productID: Product.ID
    /// `subscribed`, `inGracePeriod`, `inBillingRetryPeriod`, `expired` or `revoked`.
    public var state: String
    /// Whether the chain gives access.
    public var entitled: Bool
    /// The level of the product, of which 1 is the highest; `nil` if the catalog does not contain the level.
    public var groupLevel: Int?
    /// `purchased`, `familyShared`, `assigned`, or the App Store's value if it is none of the known values.
    public var ownership: String
    /// Whether the subscription will renew; `nil` without a renewal info, or if the renewal info has no such member.
    public var willAutoRenew: Bool?
    /// The product of the next renewal; `nil` without a renewal info.
    public var autoRenewProductID: Product.ID?
    /// The end of the current transaction's period.
    public var expires: Instant?
    /// The end of the grace period, which may be before the promised end; `nil` if no grace period follows the expiry.
    public var gracePeriodExpires: Instant?
    /// Whether the App Store retries billing; `nil` without a renewal info.
    public var inBillingRetry: Bool?
    /// The expiration reason, in the terms that the `storekeeper` command prints.
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

/// The reference model's balance, which is computed from purchases and refunds only.
public struct ReferenceBalance: Hashable, Sendable {
    /// The name of the balance.
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

/// A span of time in which the answer and its reason do not change.
public struct ReferenceRun: Hashable, Sendable {
    /// The first instant of the run; `nil` means that the run has no start.
    public var since: Instant?
    /// The first instant after the run; `nil` means that the run has no end.
    public var until: Instant?

    /// Creates a run.
    public init(since: Instant?, until: Instant?) {
        self.since = since
        self.until = until
    }
}
