/// The App Store's error code for a refused request.
///
/// A code for which no constant exists is returned unchanged.
///
/// - SeeAlso: Apple, "App Store Server API: Error codes".
public struct AppStoreErrorCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number that the App Store uses; it has seven digits, and the first three digits are the HTTP status.
    public let rawValue: Int64
    /// Creates a code from a number, even if no constant exists for it.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// The HTTP status of the code; `nil` if the number is not in the App Store's range.
    public var httpStatus: Int? { (1_000_000..<10_000_000).contains(rawValue) ? Int(rawValue / 10_000) : nil }

    /// Whether the App Store documents that the same request may succeed later.
    public var isRetryable: Bool { Self.retryable.contains(self) }

    /// The codes for which the App Store documents that the same request may succeed later.
    static let retryable: Set<AppStoreErrorCode> = [
        .accountNotFoundRetryable, .appNotFoundRetryable, .originalTransactionIDNotFoundRetryable, .rateLimitExceeded,
        .generalInternalRetryable,
    ]

    /// The number and, if it is known, the name.
    public var description: String { name.map { "\(rawValue) (\($0))" } ?? String(rawValue) }
}

/// The error codes of the Advanced Commerce API, which the local App Store of this package sends as well.
///
/// The names are from Apple's page of error codes. Apple does not document the numbers, which are from other libraries.
///
/// - SeeAlso: Apple, "Advanced Commerce API: Error messages and codes".
extension AppStoreErrorCode {
    /// An Advanced Commerce request has no identification.
    public static let nullRequestInfo = Self(rawValue: 4_000_079)
    /// An Advanced Commerce request has no reference id.
    public static let nullRequestReferenceID = Self(rawValue: 4_000_080)
    /// The reference id of an Advanced Commerce request is not a UUID.
    public static let invalidRequestReferenceID = Self(rawValue: 4_000_081)
    /// A price is negative.
    public static let negativePrice = Self(rawValue: 4_000_086)
    /// The id of an item is too long.
    public static let skuLengthExceeded = Self(rawValue: 4_000_087)
    /// The description of an item is too long.
    public static let descriptionLengthExceeded = Self(rawValue: 4_000_088)
    /// The name of an item is too long.
    public static let displayNameLengthExceeded = Self(rawValue: 4_000_089)
    /// An earlier Advanced Commerce request had the same reference id.
    public static let repeatedRequestReferenceID = Self(rawValue: 4_000_097)
    /// The tax code is missing.
    public static let nullTaxCode = Self(rawValue: 4_000_099)
    /// The items are missing.
    public static let nullItems = Self(rawValue: 4_000_101)
    /// The name and description are missing.
    public static let nullDescriptors = Self(rawValue: 4_000_103)
    /// An item has no id.
    public static let nullSKU = Self(rawValue: 4_000_105)
    /// An item has no price.
    public static let nullPrice = Self(rawValue: 4_000_109)
    /// A change does not specify when it takes effect.
    public static let nullEffective = Self(rawValue: 4_000_111)
    /// The id of an item is not valid.
    public static let invalidSKU = Self(rawValue: 4_000_122)
    /// The type of a refund is not valid.
    public static let invalidRefundType = Self(rawValue: 4_000_123)
    /// The reason for a refund is not valid.
    public static let invalidRefundReason = Self(rawValue: 4_000_124)
    /// An amount is not valid.
    public static let invalidAmount = Self(rawValue: 4_000_132)
    /// The amount of a refund is missing or not valid.
    public static let nullRefundAmount = Self(rawValue: 4_000_153)
    /// The amount of a refund is negative.
    public static let negativeRefundAmount = Self(rawValue: 4_000_154)
    /// An amount was specified for a refund whose type is not `CUSTOM`.
    public static let refundAmountWithoutCustom = Self(rawValue: 4_000_155)
    /// The reason for a refund is missing.
    public static let nullRefundReason = Self(rawValue: 4_000_156)
    /// The type of a refund is missing.
    public static let nullRefundType = Self(rawValue: 4_000_157)
    /// The request does not specify whether the App Store may decline the refund because of its own data.
    public static let nullRefundRisking = Self(rawValue: 4_000_159)
    /// The list of items is empty.
    public static let atLeastOneItem = Self(rawValue: 4_000_160)
    /// A migration names no product.
    public static let nullTargetProductID = Self(rawValue: 4_000_166)
    /// The product of a migration is not valid.
    public static let invalidTargetProductID = Self(rawValue: 4_000_167)
    /// A change does not name the item to change.
    public static let nullCurrentSKU = Self(rawValue: 4_000_169)
    /// An Advanced Commerce request is malformed.
    public static let malformedPayload = Self(rawValue: 4_000_173)
    /// The subscription was already migrated.
    public static let subscriptionAlreadyMigrated = Self(rawValue: 4_000_176)
    /// The subscription to revoke is not active.
    public static let revokeOnInactiveSubscription = Self(rawValue: 4_000_186)
    /// The subscription is not eligible for the change.
    public static let subscriptionNotEligible = Self(rawValue: 4_030_010)
    /// The transaction or item was already refunded.
    public static let alreadyRefunded = Self(rawValue: 4_030_021)

    /// The codes of the Advanced Commerce API, by name.
    static let advancedCommerceNames: [AppStoreErrorCode: String] = [
        .nullRequestInfo: "nullRequestInfo",
        .nullRequestReferenceID: "nullRequestReferenceID",
        .invalidRequestReferenceID: "invalidRequestReferenceID",
        .negativePrice: "negativePrice",
        .skuLengthExceeded: "skuLengthExceeded",
        .descriptionLengthExceeded: "descriptionLengthExceeded",
        .displayNameLengthExceeded: "displayNameLengthExceeded",
        .repeatedRequestReferenceID: "repeatedRequestReferenceID",
        .nullTaxCode: "nullTaxCode",
        .nullItems: "nullItems",
        .nullDescriptors: "nullDescriptors",
        .nullSKU: "nullSKU",
        .nullPrice: "nullPrice",
        .nullEffective: "nullEffective",
        .invalidSKU: "invalidSKU",
        .invalidRefundType: "invalidRefundType",
        .invalidRefundReason: "invalidRefundReason",
        .invalidAmount: "invalidAmount",
        .nullRefundAmount: "nullRefundAmount",
        .negativeRefundAmount: "negativeRefundAmount",
        .refundAmountWithoutCustom: "refundAmountWithoutCustom",
        .nullRefundReason: "nullRefundReason",
        .nullRefundType: "nullRefundType",
        .nullRefundRisking: "nullRefundRisking",
        .atLeastOneItem: "atLeastOneItem",
        .nullTargetProductID: "nullTargetProductID",
        .invalidTargetProductID: "invalidTargetProductID",
        .nullCurrentSKU: "nullCurrentSKU",
        .malformedPayload: "malformedPayload",
        .subscriptionAlreadyMigrated: "subscriptionAlreadyMigrated",
        .revokeOnInactiveSubscription: "revokeOnInactiveSubscription",
        .subscriptionNotEligible: "subscriptionNotEligible",
        .alreadyRefunded: "alreadyRefunded",
    ]
}
