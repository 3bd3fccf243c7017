public import Storekeeper

/// Whether the app has delivered the purchase.
///
/// - SeeAlso: Apple, "App Store Server API: deliveryStatus".
public struct DeliveryStatus: RawRepresentable, Hashable, Sendable {
    /// The value as the App Store spells it.
    public let rawValue: String
    /// Creates a value from a raw value, even if no constant exists for it.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The customer received the purchase, and it works.
    public static let delivered = Self(rawValue: "DELIVERED")
    /// The purchase does not work.
    public static let qualityIssue = Self(rawValue: "UNDELIVERED_QUALITY_ISSUE")
    /// The customer received the wrong item.
    public static let wrongItem = Self(rawValue: "UNDELIVERED_WRONG_ITEM")
    /// The purchase was not delivered because of a server outage.
    public static let serverOutage = Self(rawValue: "UNDELIVERED_SERVER_OUTAGE")
    /// The purchase was not delivered for another reason.
    public static let otherReason = Self(rawValue: "UNDELIVERED_OTHER")
}

/// The app's preferred outcome of a refund request.
///
/// - SeeAlso: Apple, "App Store Server API: refundPreference".
public struct RefundPreference: RawRepresentable, Hashable, Sendable {
    /// The value as the App Store spells it.
    public let rawValue: String
    /// Creates a value from a raw value, even if no constant exists for it.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Decline the refund.
    public static let decline = Self(rawValue: "DECLINE")
    /// Refund the full price.
    public static let grantFull = Self(rawValue: "GRANT_FULL")
    /// Refund the unused part.
    public static let grantProrated = Self(rawValue: "GRANT_PRORATED")
}

/// Consumption information about a purchase whose refund a customer requests.
///
/// - SeeAlso: Apple, "App Store Server API: ConsumptionRequest".
public struct ConsumptionRequest: Hashable, Sendable {
    /// The value of ``consumptionPercentage`` for a fully consumed purchase: 100 percent, in milliunits of a percent.
    public static let wholePercentage: Int64 = 100_000

    /// Whether the customer has agreed to sending this data; if `false`, the request is not sent.
    public var customerConsented: Bool
    /// Whether the customer received the purchase.
    public var deliveryStatus: DeliveryStatus
    /// Whether the customer could try the content before the purchase.
    public var sampleContentProvided: Bool
    /// The share of the purchase that was used, in milliunits of a percent, 0 to 100000; `nil` omits the member.
    public var consumptionPercentage: Int64?
    /// The outcome that the app prefers; `nil` omits the member.
    public var refundPreference: RefundPreference?

    /// Creates a request; it is checked when it is sent.
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

/// The deprecated version of ``ConsumptionRequest``, whose numbers are codes of the App Store.
///
/// The request can be sent only about consumables and auto-renewable subscriptions. In each code, 0 means that the app
/// does not declare the value.
///
/// - SeeAlso: Apple, "App Store Server API: ConsumptionRequestV1".
public struct ConsumptionRequestV1: Hashable, Sendable {
    /// Whether the customer has agreed to sending this data; if `false`, the request is not sent.
    public var customerConsented: Bool
    /// The app account token of the purchase, a UUID; empty if the purchase has no token.
    public var appAccountToken: String
    /// The code for the age of the account, 0 to 7.
    public var accountTenure: Int64
    /// The code for the used part of the purchase, 0 to 3.
    public var consumptionStatus: Int64
    /// The code for whether the customer received the purchase, 0 to 5.
    public var deliveryStatus: Int64
    /// The code for the amount that the customer has spent, 0 to 7.
    public var lifetimeDollarsPurchased: Int64
    /// The code for the amount that the customer was refunded, 0 to 7.
    public var lifetimeDollarsRefunded: Int64
    /// The code for the platform on which the purchase was used, 0 to 2.
    public var platform: Int64
    /// The code for the time for which the customer has used the app, 0 to 7.
    public var playTime: Int64
    /// The code for the outcome that the app prefers, 0 to 3.
    public var refundPreference: Int64
    /// Whether the customer could try the content before the purchase.
    public var sampleContentProvided: Bool
    /// The code for the state of the account, 0 to 4.
    public var userStatus: Int64

    /// Creates a request; it is checked when it is sent.
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

/// Checks of the App Store's rules for consumption information, before a request is sent.
extension ConsumptionRequest {
    /// Checks that the request may be sent about a transaction.
    ///
    /// - Parameter transaction: The purchase whose refund was requested.
    /// - Throws: `consentMissing` if the customer has not agreed; `invalidRequest` if the App Store would refuse the
    ///   request. The error contains the App Store's error code, if it is known.
    public func check(about transaction: Transaction) throws(AppStoreServerError) {
        guard customerConsented else { throw Self.consentMissing }
        guard transaction.ownershipType != .familyShared else { throw Self.familyCopy }
        guard let share = consumptionPercentage else {
            if refundPreference == .grantProrated, transaction.productType != .autoRenewable {
                throw Self.refusal("a prorated refund requires a consumption percentage")
            }
            return
        }
        if transaction.productType == .autoRenewable {
            throw Self.refusal(
                "auto-renewable subscriptions have no consumption percentage: the App Store counts their days",
                .consumptionPercentageOfAutoRenewableSubscription)
        }
        guard (0...Self.wholePercentage).contains(share) else {
            throw Self.refusal("a consumption percentage must be 0 to 100000, not \(share)")
        }
        if deliveryStatus != .delivered, share != 0 {
            throw Self.refusal("the percentage must be 0 if the purchase was not delivered")
        }
        if refundPreference == .grantProrated, share == 0 || share == Self.wholePercentage {
            throw Self.refusal("a prorated refund requires a consumption percentage above 0 and below 100000")
        }
    }

    static let consentMissing = AppStoreServerError(
        .consentMissing, "the customer has not consented to sending consumption data; ask for consent first",
        apiCode: .invalidCustomerConsented)

    static let familyCopy = refusal(
        "a family member's copy cannot be refunded; use the purchaser's transaction", .familyTransactionNotSupported)

    static func refusal(_ message: String, _ code: AppStoreErrorCode? = nil) -> AppStoreServerError {
        AppStoreServerError(.invalidRequest, message, apiCode: code)
    }

    /// The JSON body of the request.
    var json: JSONText {
        .object([
            "customerConsented": .bool(customerConsented),
            "deliveryStatus": .string(deliveryStatus.rawValue),
            "sampleContentProvided": .bool(sampleContentProvided),
            "consumptionPercentage": .whole(consumptionPercentage),
            "refundPreference": .text(refundPreference?.rawValue),
        ])
    }
}

extension ConsumptionRequestV1 {
    /// Checks that the request may be sent about a transaction.
    ///
    /// - Throws: As ``ConsumptionRequest/check(about:)``; `invalidRequest` if the product is neither a consumable nor
    ///   an auto-renewable subscription.
    public func check(about transaction: Transaction) throws(AppStoreServerError) {
        guard customerConsented else { throw ConsumptionRequest.consentMissing }
        guard transaction.ownershipType != .familyShared else { throw ConsumptionRequest.familyCopy }
        guard [.consumable, .autoRenewable].contains(transaction.productType) else {
            throw ConsumptionRequest.refusal(
                "this version of the request is only for consumables and auto-renewable subscriptions; use the current one",
                .invalidTransactionTypeNotSupported)
        }
        for (name, value, greatest, code) in numbers where !(0...greatest).contains(value) {
            throw ConsumptionRequest.refusal("\(name) must be 0 to \(greatest), not \(value)", code)
        }
        guard appAccountToken.isEmpty || UUIDText.uuid(appAccountToken.utf8) != nil else {
            throw ConsumptionRequest.refusal("the account token is not a UUID", .invalidAppAccountToken)
        }
    }

    private var numbers: [(name: String, value: Int64, greatest: Int64, code: AppStoreErrorCode)] {
        [
            ("accountTenure", accountTenure, 7, .invalidAccountTenure),
            ("consumptionStatus", consumptionStatus, 3, .invalidConsumptionStatus),
            ("deliveryStatus", deliveryStatus, 5, .invalidDeliveryStatus),
            ("lifetimeDollarsPurchased", lifetimeDollarsPurchased, 7, .invalidLifetimeDollarsPurchased),
            ("lifetimeDollarsRefunded", lifetimeDollarsRefunded, 7, .invalidLifetimeDollarsRefunded),
            ("platform", platform, 2, .invalidPlatform),
            ("playTime", playTime, 7, .invalidPlayTime),
            ("refundPreference", refundPreference, 3, .invalidRefundPreference),
            ("userStatus", userStatus, 4, .invalidUserStatus),
        ]
    }

    /// The JSON body of the request.
    var json: JSONText {
        var members: [String: JSONText] = [
            "customerConsented": .bool(customerConsented),
            "sampleContentProvided": .bool(sampleContentProvided),
            "appAccountToken": .string(appAccountToken),
        ]
        for (name, value, _, _) in numbers { members[name] = .integer(value) }
        return .object(members)
    }
}
