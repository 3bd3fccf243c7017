public import Storekeeper

/// What the reference model says of a product, in the command line's words.
public struct ReferenceAnswer: Hashable, Sendable {
    /// `entitled`, `lapsed`, `never` or `unknown`.
    public var answer: String
    /// Why, such as `active`.
    public var reason: String
    /// The transaction that decides; absent for `never`.
    public var transactionID: String?
    /// Its chain.
    public var originalTransactionID: String?
    /// `purchased`, `familyShared`, `assigned`, or an unknown word as it came.
    public var ownership: String?
    /// Where the transaction was made.
    public var environment: String?

    /// Makes an answer.
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

    /// No purchase by then.
    public static let never = ReferenceAnswer(answer: "never", reason: "noPurchase")
}

/// What the reference model says of a feature.
public struct ReferenceFeatureAnswer: Hashable, Sendable {
    /// `entitled`, `lapsed`, `never` or `unknown`.
    public var answer: String
    /// Why, such as `active`.
    public var reason: String
    /// The product that gives the answer; absent for `never`.
    public var by: Product.ID?

    /// Makes an answer.
    public init(answer: String, reason: String, by: Product.ID? = nil) {
        self.answer = answer
        self.reason = reason
        self.by = by
    }
}

/// What the reference model says of one chain of auto-renewable subscriptions.
public struct ReferenceStatus: Hashable, Sendable {
    /// The group; `nil` where neither evidence nor catalog names one.
    public var groupID: SubscriptionGroup.ID?
    /// The chain.
    public var originalTransactionID: String
    /// Where the chain was made.
    public var environment: String
    /// The transaction that is current.
    public var transactionID: String
    /// Its product.
    public var productID: Product.ID
    /// `subscribed`, `inGracePeriod`, `inBillingRetryPeriod`, `expired` or `revoked`.
    public var state: String
    /// Whether it gives access.
    public var entitled: Bool
    /// The level of the product, 1 the highest; `nil` where the catalog does not say.
    public var groupLevel: Int?
    /// `purchased`, `familyShared`, `assigned`, or an unknown word as it came.
    public var ownership: String
    /// Whether it will renew; `nil` where no renewal info speaks, or it does not say.
    public var willAutoRenew: Bool?
    /// What the next renewal bills; `nil` where no renewal info speaks.
    public var autoRenewProductID: Product.ID?
    /// The end of the current transaction's period.
    public var expires: Instant?
    /// The end of grace that holds, where it lies after the expiry.
    public var gracePeriodExpires: Instant?
    /// Whether the App Store tries to bill again; `nil` where no renewal info speaks.
    public var inBillingRetry: Bool?
    /// Why it expired, in the command line's words.
    public var expirationReason: String?

    /// Makes a status.
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

/// What the reference model says of a balance, from evidence alone.
public struct ReferenceBalance: Hashable, Sendable {
    /// The balance.
    public var id: Balance.ID
    /// What purchases added.
    public var credited: Int64
    /// What refunds took away.
    public var clawedBack: Int64
    /// What is left.
    public var balance: Int64

    /// Makes a balance.
    public init(id: Balance.ID, credited: Int64, clawedBack: Int64, balance: Int64) {
        self.id = id
        self.credited = credited
        self.clawedBack = clawedBack
        self.balance = balance
    }
}

/// The span over which answer and reason stay equal.
public struct ReferenceRun: Hashable, Sendable {
    /// The first instant of the run; `nil`: since ever.
    public var since: Instant?
    /// The first instant after the run; `nil`: without end.
    public var until: Instant?

    /// Makes a run.
    public init(since: Instant?, until: Instant?) {
        self.since = since
        self.until = until
    }
}
