/// The way in which a customer acquired a product.
///
/// - SeeAlso: Apple, "App Store Server API: inAppOwnershipType".
public struct OwnershipType: OpenValue, Codable {
    /// The raw string in the App Store's payloads.
    public let rawValue: String
    /// Creates a value from a raw string, which may be unknown to this version.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The customer bought the product.
    public static let purchased = OwnershipType(rawValue: "PURCHASED")
    /// A family member bought the product and shares it.
    public static let familyShared = OwnershipType(rawValue: "FAMILY_SHARED")
    /// An organization or group assigned the product to the customer.
    public static let assigned = OwnershipType(rawValue: "ASSIGNED")

    /// The values that this version of the package knows.
    package static let known: Set<OwnershipType> = [.purchased, .familyShared, .assigned]

    /// The text that the command line prints; for an unknown value, the raw string.
    package var word: String {
        switch self {
        case .purchased: "purchased"
        case .familyShared: "familyShared"
        case .assigned: "assigned"
        default: rawValue
        }
    }
}

/// The reason for a refund.
///
/// - SeeAlso: Apple, "App Store Server API: revocationReason".
public struct RevocationReason: OpenValue {
    /// The raw number in the App Store's payloads.
    public let rawValue: Int64
    /// Creates a value from a raw number, which may be unknown to this version.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// A reason other than ``developerIssue``, such as a purchase by accident.
    public static let other = RevocationReason(rawValue: 0)
    /// An actual or perceived issue with the app.
    public static let developerIssue = RevocationReason(rawValue: 1)
    /// The customer moved to a bundle that contains the subscription; access continues under another original
    /// transaction.
    public static let upgradedToBundle = RevocationReason(rawValue: 2)

    /// The values that this version of the package knows.
    package static let known: Set<RevocationReason> = [.other, .developerIssue, .upgradedToBundle]
}

/// The type of a revocation.
///
/// - SeeAlso: Apple, "App Store Server API: revocationType".
public struct RevocationType: OpenValue {
    /// The raw string in the App Store's payloads.
    public let rawValue: String
    /// Creates a value from a raw string, which may be unknown to this version.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The customer was refunded the whole price.
    public static let fullRefund = RevocationType(rawValue: "REFUND_FULL")
    /// The customer was refunded the price of the unused part of the period.
    public static let proratedRefund = RevocationType(rawValue: "REFUND_PRORATED")
    /// A family member no longer shares the purchase.
    public static let familyRevocation = RevocationType(rawValue: "FAMILY_REVOKE")
    /// The organization or group revoked the assignment.
    public static let assignmentRevocation = RevocationType(rawValue: "ASSIGNMENT_REVOKE")

    /// The values that this version of the package knows.
    package static let known: Set<RevocationType> = [
        .fullRefund, .proratedRefund, .familyRevocation, .assignmentRevocation,
    ]
}

/// The cause of a transaction.
///
/// - SeeAlso: Apple, "App Store Server API: transactionReason".
public struct TransactionReason: OpenValue {
    /// The raw string in the App Store's payloads.
    public let rawValue: String
    /// Creates a value from a raw string, which may be unknown to this version.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The customer purchased, upgraded or resubscribed.
    public static let purchase = TransactionReason(rawValue: "PURCHASE")
    /// The App Store renewed the subscription.
    public static let renewal = TransactionReason(rawValue: "RENEWAL")

    /// The values that this version of the package knows.
    package static let known: Set<TransactionReason> = [.purchase, .renewal]
}

/// The type of the offer that applies to a transaction.
///
/// - SeeAlso: Apple, "App Store Server API: offerType".
public struct OfferType: OpenValue {
    /// The raw number in the App Store's payloads.
    public let rawValue: Int64
    /// Creates a value from a raw number, which may be unknown to this version.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// An offer for customers who are new to the subscription group.
    public static let introductory = OfferType(rawValue: 1)
    /// An offer that the app presents and signs with its own key.
    public static let promotional = OfferType(rawValue: 2)
    /// An offer that the customer received by redeeming a code.
    public static let code = OfferType(rawValue: 3)
    /// An offer for customers with a lapsed subscription.
    public static let winBack = OfferType(rawValue: 4)
    /// An offer that the App Store presents to a customer who is about to cancel.
    public static let retention = OfferType(rawValue: 5)

    /// The values that this version of the package knows.
    package static let known: Set<OfferType> = [.introductory, .promotional, .code, .winBack, .retention]

    /// The text that the command line prints; for an unknown value, the raw number.
    package var word: String {
        switch self {
        case .introductory: "introductory"
        case .promotional: "promotional"
        case .code: "code"
        case .winBack: "winBack"
        case .retention: "retention"
        default: String(rawValue)
        }
    }
}

/// The reason why a period of a subscription has several transactions.
///
/// - SeeAlso: Apple, "App Store Server API: additionalTransactionReason".
public struct AdditionalTransactionReason: OpenValue {
    /// The raw string in the App Store's payloads.
    public let rawValue: String
    /// Creates a value from a raw string, which may be unknown to this version.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The purchaser of a group added seats during the period.
    public static let seatAddition = AdditionalTransactionReason(rawValue: "SEAT_ADDITION")

    /// The values that this version of the package knows.
    package static let known: Set<AdditionalTransactionReason> = [.seatAddition]
}

/// The payment mode of an offer.
///
/// - SeeAlso: Apple, "App Store Server API: offerDiscountType".
public struct OfferDiscountType: OpenValue {
    /// The raw string in the App Store's payloads.
    public let rawValue: String
    /// Creates a value from a raw string, which may be unknown to this version.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The customer pays nothing.
    public static let freeTrial = OfferDiscountType(rawValue: "FREE_TRIAL")
    /// A lower price is paid for each of several periods.
    public static let payAsYouGo = OfferDiscountType(rawValue: "PAY_AS_YOU_GO")
    /// A lower price is paid once for the whole duration of the offer.
    public static let payUpFront = OfferDiscountType(rawValue: "PAY_UP_FRONT")
    /// A lower price is paid for a purchase that does not renew.
    public static let oneTime = OfferDiscountType(rawValue: "ONE_TIME")

    /// The values that this version of the package knows.
    package static let known: Set<OfferDiscountType> = [.freeTrial, .payAsYouGo, .payUpFront, .oneTime]

    /// The text that the command line prints; for an unknown value, the raw string.
    package var word: String {
        switch self {
        case .freeTrial: "freeTrial"
        case .payAsYouGo: "payAsYouGo"
        case .payUpFront: "payUpFront"
        case .oneTime: "oneTime"
        default: rawValue
        }
    }
}

/// The billing plan of a subscription.
///
/// - SeeAlso: Apple, "App Store Server API: billingPlanType".
public struct BillingPlanType: OpenValue {
    /// The raw string in the App Store's payloads.
    public let rawValue: String
    /// Creates a value from a raw string, which may be unknown to this version.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The customer pays for a whole period at once.
    public static let billedUpfront = BillingPlanType(rawValue: "BILLED_UPFRONT")
    /// The customer pays monthly and commits to twelve months.
    public static let monthly = BillingPlanType(rawValue: "MONTHLY")

    /// The values that this version of the package knows.
    package static let known: Set<BillingPlanType> = [.billedUpfront, .monthly]
}

/// The setting that determines whether a subscription renews.
///
/// - SeeAlso: Apple, "App Store Server API: autoRenewStatus".
public struct AutoRenewStatus: OpenValue {
    /// The raw number in the App Store's payloads.
    public let rawValue: Int64
    /// Creates a value from a raw number, which may be unknown to this version.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// The subscription ends with its period.
    public static let off = AutoRenewStatus(rawValue: 0)
    /// The subscription renews at the end of its period.
    public static let on = AutoRenewStatus(rawValue: 1)

    /// The values that this version of the package knows.
    package static let known: Set<AutoRenewStatus> = [.off, .on]

    /// Whether the subscription renews; `nil` for a value that this version of the package does not know.
    package var isOn: Bool? { isKnown ? self == .on : nil }
}

/// The reason why a subscription expired.
///
/// - SeeAlso: Apple, "App Store Server API: expirationIntent".
public struct ExpirationReason: OpenValue {
    /// The raw number in the App Store's payloads.
    public let rawValue: Int64
    /// Creates a value from a raw number, which may be unknown to this version.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// The customer turned renewal off.
    public static let autoRenewDisabled = ExpirationReason(rawValue: 1)
    /// The payment failed, and no later attempt succeeded.
    public static let billingError = ExpirationReason(rawValue: 2)
    /// The customer did not agree to a price increase that needs consent.
    public static let didNotConsentToPriceIncrease = ExpirationReason(rawValue: 3)
    /// The product was no longer for sale when the subscription would have renewed.
    public static let productUnavailable = ExpirationReason(rawValue: 4)
    /// A reason other than the reasons above.
    public static let unknown = ExpirationReason(rawValue: 5)
    /// The customer left the bundle that contained the subscription.
    public static let unbundled = ExpirationReason(rawValue: 6)

    /// The values that this version of the package knows.
    package static let known: Set<ExpirationReason> = [
        .autoRenewDisabled, .billingError, .didNotConsentToPriceIncrease, .productUnavailable, .unknown, .unbundled,
    ]

    /// The text that the command line prints.
    package var word: String {
        switch self {
        case .autoRenewDisabled: "autoRenewDisabled"
        case .billingError: "billingError"
        case .didNotConsentToPriceIncrease: "didNotConsentToPriceIncrease"
        case .productUnavailable: "productUnavailable"
        case .unbundled: "unbundled"
        default: "unknown"
        }
    }
}

/// The customer's answer to a price increase.
///
/// - SeeAlso: Apple, "App Store Server API: priceIncreaseStatus".
public struct PriceIncreaseStatus: OpenValue {
    /// The raw number in the App Store's payloads.
    public let rawValue: Int64
    /// Creates a value from a raw number, which may be unknown to this version.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// The customer was asked to agree and has not answered.
    public static let pending = PriceIncreaseStatus(rawValue: 0)
    /// The customer agreed, or was notified of an increase that needs no consent.
    public static let agreed = PriceIncreaseStatus(rawValue: 1)

    /// The values that this version of the package knows.
    package static let known: Set<PriceIncreaseStatus> = [.pending, .agreed]

    /// The text that the command line prints; `nil` for an unknown value.
    package var word: String? {
        switch self {
        case .pending: "pending"
        case .agreed: "agreed"
        default: nil
        }
    }
}
