/// Whether the app has handed out what was bought.
///
/// - SeeAlso: Apple, "App Store Server API: deliveryStatus".
public struct DeliveryStatus: RawRepresentable, Hashable, Sendable {
    /// The word that the App Store uses.
    public let rawValue: String
    /// Makes a value of a word, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The customer has it, and it works.
    public static let delivered = Self(rawValue: "DELIVERED")
    /// It does not work.
    public static let qualityIssue = Self(rawValue: "UNDELIVERED_QUALITY_ISSUE")
    /// The customer has something else.
    public static let wrongItem = Self(rawValue: "UNDELIVERED_WRONG_ITEM")
    /// The server was out of order.
    public static let serverOutage = Self(rawValue: "UNDELIVERED_SERVER_OUTAGE")
    /// It was not handed out for another reason.
    public static let otherReason = Self(rawValue: "UNDELIVERED_OTHER")
}

/// What the app would like to come of a request for a refund.
///
/// - SeeAlso: Apple, "App Store Server API: refundPreference".
public struct RefundPreference: RawRepresentable, Hashable, Sendable {
    /// The word that the App Store uses.
    public let rawValue: String
    /// Makes a value of a word, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// That it is declined.
    public static let decline = Self(rawValue: "DECLINE")
    /// That the customer gets the whole price back.
    public static let grantFull = Self(rawValue: "GRANT_FULL")
    /// That the customer gets back the part that was not used.
    public static let grantProrated = Self(rawValue: "GRANT_PRORATED")
}

/// What the App Store may be told about the use of a purchase whose refund a customer asks for.
///
/// - SeeAlso: Apple, "App Store Server API: ConsumptionRequest".
public struct ConsumptionRequest: Hashable, Sendable {
    /// The whole, in milliunits of a percent.
    public static let wholePercentage: Int64 = 100_000

    /// Whether the customer has agreed that this is sent; nothing is where they have not.
    public var customerConsented: Bool
    /// Whether the customer has what was bought.
    public var deliveryStatus: DeliveryStatus
    /// Whether the customer could try it before.
    public var sampleContentProvided: Bool
    /// The share that was used, in milliunits of a percent, 0 to 100000; `nil` says nothing.
    public var consumptionPercentage: Int64?
    /// What the app would like to come of it; `nil` says nothing.
    public var refundPreference: RefundPreference?

    /// Makes a request; whether it may be sent is checked when it is.
    public init(
        customerConsented: Bool, deliveryStatus: DeliveryStatus, sampleContentProvided: Bool,
        consumptionPercentage: Int64? = nil, refundPreference: RefundPreference? = nil
    ) {
        self.customerConsented = customerConsented
        self.deliveryStatus = deliveryStatus
        self.sampleContentProvided = sampleContentProvided
        self.consumptionPercentage = consumptionPercentage
        self.refundPreference = refundPreference
    }
}

/// What the deprecated version of the same request says, in the App Store's own numbers.
///
/// Only for consumables and subscriptions that renew. Zero stands for what is not declared.
///
/// - SeeAlso: Apple, "App Store Server API: ConsumptionRequestV1".
public struct ConsumptionRequestV1: Hashable, Sendable {
    /// Whether the customer has agreed that this is sent; nothing is where they have not.
    public var customerConsented: Bool
    /// The account's own id, a UUID; empty where there is none.
    public var appAccountToken: String
    /// How old the account is, 0 to 7.
    public var accountTenure: Int64
    /// How much was used, 0 to 3.
    public var consumptionStatus: Int64
    /// Whether the customer has what was bought, 0 to 5.
    public var deliveryStatus: Int64
    /// How much the customer has spent, 0 to 7.
    public var lifetimeDollarsPurchased: Int64
    /// How much the customer was refunded, 0 to 7.
    public var lifetimeDollarsRefunded: Int64
    /// Where it was used, 0 to 2.
    public var platform: Int64
    /// How long the app was used, 0 to 7.
    public var playTime: Int64
    /// What the app would like to come of it, 0 to 3.
    public var refundPreference: Int64
    /// Whether the customer could try it before.
    public var sampleContentProvided: Bool
    /// The state of the account, 0 to 4.
    public var userStatus: Int64

    /// Makes a request; whether it may be sent is checked when it is.
    public init(
        customerConsented: Bool, sampleContentProvided: Bool, appAccountToken: String = "", accountTenure: Int64 = 0,
        consumptionStatus: Int64 = 0, deliveryStatus: Int64 = 0, lifetimeDollarsPurchased: Int64 = 0,
        lifetimeDollarsRefunded: Int64 = 0, platform: Int64 = 0, playTime: Int64 = 0, refundPreference: Int64 = 0,
        userStatus: Int64 = 0
    ) {
        self.customerConsented = customerConsented
        self.sampleContentProvided = sampleContentProvided
        self.appAccountToken = appAccountToken
        self.accountTenure = accountTenure
        self.consumptionStatus = consumptionStatus
        self.deliveryStatus = deliveryStatus
        self.lifetimeDollarsPurchased = lifetimeDollarsPurchased
        self.lifetimeDollarsRefunded = lifetimeDollarsRefunded
        self.platform = platform
        self.playTime = playTime
        self.refundPreference = refundPreference
        self.userStatus = userStatus
    }
}
