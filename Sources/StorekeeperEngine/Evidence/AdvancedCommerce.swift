/// The types of the Advanced Commerce API, with which an app's server describes the purchased items if they are not
/// products in App Store Connect.
///
/// The App Store signs the items as a part of transactions and renewal infos. This package's answers about access do
/// not depend on the items.
///
/// - SeeAlso: Apple, "Advanced Commerce API".
public enum AdvancedCommerce: Sendable {
    /// The name and description of a purchase.
    ///
    /// - SeeAlso: Apple, "Advanced Commerce API: Descriptors".
    public struct Descriptors: Hashable, Sendable {
        /// The name, at most 30 characters.
        public var displayName: String
        /// The description, at most 45 characters.
        public var description: String

        /// Creates descriptors.
        public init(displayName: String, description: String) {
            self.displayName = displayName
            self.description = description
        }
    }

    /// An offer of an item.
    ///
    /// - SeeAlso: Apple, "Advanced Commerce API: Offer".
    public struct Offer: Hashable, Sendable {
        /// The price of each period, in milliunits.
        public var price: Int64
        /// The length of a period.
        public var period: Period
        /// The number of periods, 1 to 12.
        public var periodCount: Int64
        /// The purpose of the offer.
        public var reason: OfferReason

        /// Creates an offer.
        public init(price: Int64, period: Period, periodCount: Int64, reason: OfferReason) {
            self.price = price
            self.period = period
            self.periodCount = periodCount
            self.reason = reason
        }
    }

    /// A refund of an item.
    ///
    /// - SeeAlso: Apple, "App Store Server API: advancedCommerceRefunds".
    public struct Refund: Hashable, Sendable {
        /// The amount, in milliunits.
        public let amount: Int64?
        /// The time of the refund, in UTC.
        public let refundedAt: Instant?
        /// The reason of the refund.
        public let reason: RefundReason?
        /// The way in which the amount was determined.
        public let type: RefundType?
    }

    /// An item of a transaction.
    ///
    /// - SeeAlso: Apple, "App Store Server API: advancedCommerceTransactionItem".
    public struct TransactionItem: Hashable, Sendable {
        /// The app's own id of the item, at most 128 characters.
        public let sku: String?
        /// The name of the item.
        public let displayName: String?
        /// The description of the item.
        public let description: String?
        /// The price of the item, in milliunits.
        public let price: Int64?
        /// The offer that applied to the item.
        public let offer: Offer?
        /// The refunds of the item, the oldest first.
        public let refunds: [Refund]
        /// The time from which the item is revoked, in UTC.
        public let revokedAt: Instant?
    }

    /// An item of the next renewal.
    ///
    /// - SeeAlso: Apple, "App Store Server API: advancedCommerceRenewalItem".
    public struct RenewalItem: Hashable, Sendable {
        /// The app's own id of the item, at most 128 characters.
        public let sku: String?
        /// The name of the item.
        public let displayName: String?
        /// The description of the item.
        public let description: String?
        /// The price of the item, in milliunits.
        public let price: Int64?
        /// The offer that will apply to the item.
        public let offer: Offer?
        /// An upcoming price increase of the item.
        public let priceIncrease: PriceIncrease?
    }

    /// An upcoming price increase of an item.
    ///
    /// - SeeAlso: Apple, "App Store Server API: advancedCommercePriceIncreaseInfo".
    public struct PriceIncrease: Hashable, Sendable {
        /// The new price, in milliunits.
        public let price: Int64?
        /// The SKUs of the items that depend on this item.
        public let dependentSKUs: [String]
        /// The state of the customer's consent to the increase.
        public let status: PriceIncreaseStatus?
    }

    /// The data of the Advanced Commerce API in a transaction.
    ///
    /// - SeeAlso: Apple, "App Store Server API: advancedCommerceTransactionInfo".
    public struct TransactionInfo: Hashable, Sendable {
        /// The name and description.
        public let descriptors: Descriptors?
        /// The purchased items, including revoked items.
        public let items: [TransactionItem]
        /// The length of one period, if the purchase is a subscription.
        public let period: Period?
        /// The id of the request that caused the transaction.
        public let requestReferenceID: String?
        /// The tax code.
        public let taxCode: String?
        /// The tax rate, as the text of a decimal number.
        public let taxRate: String?
        /// The price without tax, in milliunits.
        public let taxExclusivePrice: Int64?
        /// The estimated tax, in milliunits.
        public let estimatedTax: Int64?
    }

    /// The data of the Advanced Commerce API in a renewal info.
    ///
    /// - SeeAlso: Apple, "App Store Server API: advancedCommerceRenewalInfo".
    public struct SubscriptionInfo: Hashable, Sendable {
        /// The token that the next request to the Advanced Commerce API must contain.
        public let consistencyToken: String?
        /// The name and description.
        public let descriptors: Descriptors?
        /// The items of the next renewal.
        public let items: [RenewalItem]
        /// The length of one period of the subscription.
        public let period: Period?
        /// The id of the request that caused the current state of the subscription.
        public let requestReferenceID: String?
        /// The tax code.
        public let taxCode: String?
    }
}

// MARK: - Words

extension AdvancedCommerce {
    /// The length of a period of a subscription or an offer, as ISO 8601 text.
    ///
    /// - SeeAlso: Apple, "Advanced Commerce API: period" and "offerPeriod".
    public struct Period: RawRepresentable, Hashable, Sendable {
        /// The raw string in the App Store's payloads.
        public let rawValue: String
        /// Creates a value from a raw string, which may be unknown to this version of the package.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Three days, a length that only offers can have.
        public static let threeDays = Self(rawValue: "P3D")
        /// A week.
        public static let week = Self(rawValue: "P1W")
        /// Two weeks, a length that only offers can have.
        public static let twoWeeks = Self(rawValue: "P2W")
        /// A month.
        public static let month = Self(rawValue: "P1M")
        /// Two months.
        public static let twoMonths = Self(rawValue: "P2M")
        /// Three months.
        public static let threeMonths = Self(rawValue: "P3M")
        /// Six months.
        public static let sixMonths = Self(rawValue: "P6M")
        /// Nine months, a length that only offers can have.
        public static let nineMonths = Self(rawValue: "P9M")
        /// A year.
        public static let year = Self(rawValue: "P1Y")
    }

    /// The purpose of an offer.
    ///
    /// - SeeAlso: Apple, "Advanced Commerce API: offerReason".
    public struct OfferReason: RawRepresentable, Hashable, Sendable {
        /// The raw string in the App Store's payloads.
        public let rawValue: String
        /// Creates a value from a raw string, which may be unknown to this version of the package.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// An offer to win a new customer.
        public static let acquisition = Self(rawValue: "ACQUISITION")
        /// An offer to win a former customer back.
        public static let winBack = Self(rawValue: "WIN_BACK")
        /// An offer to keep a customer.
        public static let retention = Self(rawValue: "RETENTION")
    }

    /// The reason of a refund.
    ///
    /// - SeeAlso: Apple, "Advanced Commerce API: refundReason".
    public struct RefundReason: RawRepresentable, Hashable, Sendable {
        /// The raw string in the App Store's payloads.
        public let rawValue: String
        /// Creates a value from a raw string, which may be unknown to this version of the package.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The customer made the purchase by accident.
        public static let unintendedPurchase = Self(rawValue: "UNINTENDED_PURCHASE")
        /// The purchase was not delivered, or does not work.
        public static let fulfillmentIssue = Self(rawValue: "FULFILLMENT_ISSUE")
        /// The purchase was not what the customer expected.
        public static let unsatisfiedWithPurchase = Self(rawValue: "UNSATISFIED_WITH_PURCHASE")
        /// The refund has a legal reason.
        public static let legal = Self(rawValue: "LEGAL")
        /// The refund is made for a legal reason.
        public static let other = Self(rawValue: "OTHER")
        /// Items of the subscription were changed.
        public static let modifyItems = Self(rawValue: "MODIFY_ITEMS_REFUND")
        /// In the sandbox, a request for a refund with this reason is declined, for tests.
        public static let simulateDecline = Self(rawValue: "SIMULATE_REFUND_DECLINE")
    }

    /// The way in which the amount of a refund is determined.
    ///
    /// - SeeAlso: Apple, "Advanced Commerce API: refundType".
    public struct RefundType: RawRepresentable, Hashable, Sendable {
        /// The raw string in the App Store's payloads.
        public let rawValue: String
        /// Creates a value from a raw string, which may be unknown to this version of the package.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The whole price.
        public static let full = Self(rawValue: "FULL")
        /// The price of the unused part of the period.
        public static let prorated = Self(rawValue: "PRORATED")
        /// An amount that the app's server determines.
        public static let custom = Self(rawValue: "CUSTOM")
    }

    /// The state of an upcoming price increase.
    ///
    /// - SeeAlso: Apple, "App Store Server API: advancedCommercePriceIncreaseInfoStatus".
    public struct PriceIncreaseStatus: RawRepresentable, Hashable, Sendable {
        /// The raw string in the App Store's payloads.
        public let rawValue: String
        /// Creates a value from a raw string, which may be unknown to this version of the package.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The customer will be asked or informed later.
        public static let scheduled = Self(rawValue: "SCHEDULED")
        /// The customer was asked and has not answered.
        public static let pending = Self(rawValue: "PENDING")
        /// The customer agreed, or was informed of an increase that needs no consent.
        public static let accepted = Self(rawValue: "ACCEPTED")
    }
}

// MARK: - Reading

extension Transaction {
    /// The data of the Advanced Commerce API; `nil` for a purchase that was made without this API.
    ///
    /// The value is decoded from ``SignedFact/jsonRepresentation`` on each use. Members that cannot be read count as
    /// absent.
    public var advancedCommerceInfo: AdvancedCommerce.TransactionInfo? {
        source.member("advancedCommerceInfo").map(AdvancedCommerce.TransactionInfo.init)
    }
}

extension RenewalInfo {
    /// The data of the Advanced Commerce API; `nil` for a subscription that was bought without this API.
    ///
    /// The value is decoded from ``SignedFact/jsonRepresentation`` on each use. Members that cannot be read count as
    /// absent.
    public var advancedCommerceInfo: AdvancedCommerce.SubscriptionInfo? {
        source.member("advancedCommerceInfo").map(AdvancedCommerce.SubscriptionInfo.init)
    }
}

extension EvidenceSource {
    /// The payload; `nil` if it is not a JSON object.
    var object: JSONObject? { (try? JSONReader().read(payload))?.root.object }

    /// Returns the object that is the value of a payload's member; `nil` if the member is absent or is not an object.
    func member(_ name: String) -> JSONObject? { object?[name]?.object }
}

extension AdvancedCommerce.TransactionInfo {
    fileprivate init(_ object: JSONObject) {
        descriptors = object["descriptors"]?.object.flatMap(AdvancedCommerce.Descriptors.init)
        items = object.objects("items").map(AdvancedCommerce.TransactionItem.init)
        period = object["period"]?.string.map(AdvancedCommerce.Period.init)
        requestReferenceID = object["requestReferenceId"]?.string
        taxCode = object["taxCode"]?.string
        taxRate = object["taxRate"]?.string
        taxExclusivePrice = object["taxExclusivePrice"]?.int64
        estimatedTax = object["estimatedTax"]?.int64
    }
}

extension AdvancedCommerce.SubscriptionInfo {
    fileprivate init(_ object: JSONObject) {
        consistencyToken = object["consistencyToken"]?.string
        descriptors = object["descriptors"]?.object.flatMap(AdvancedCommerce.Descriptors.init)
        items = object.objects("items").map(AdvancedCommerce.RenewalItem.init)
        period = object["period"]?.string.map(AdvancedCommerce.Period.init)
        requestReferenceID = object["requestReferenceId"]?.string
        taxCode = object["taxCode"]?.string
    }
}

extension AdvancedCommerce.Descriptors {
    fileprivate init?(_ object: JSONObject) {
        guard let name = object["displayName"]?.string, let description = object["description"]?.string else {
            return nil
        }
        self.init(displayName: name, description: description)
    }
}

extension AdvancedCommerce.Offer {
    fileprivate init?(_ object: JSONObject) {
        guard let price = object["price"]?.int64, let period = object["period"]?.string,
            let count = object["periodCount"]?.int64, let reason = object["reason"]?.string
        else { return nil }
        self.init(
            price: price, period: AdvancedCommerce.Period(rawValue: period), periodCount: count,
            reason: AdvancedCommerce.OfferReason(rawValue: reason))
    }
}

extension AdvancedCommerce.TransactionItem {
    fileprivate init(_ object: JSONObject) {
        sku = object["SKU"]?.string
        displayName = object["displayName"]?.string
        description = object["description"]?.string
        price = object["price"]?.int64
        offer = object["offer"]?.object.flatMap(AdvancedCommerce.Offer.init)
        refunds = object.objects("refunds").map(AdvancedCommerce.Refund.init)
        revokedAt = object["revocationDate"]?.truncatedInt64.flatMap(Instant.init(millisecondsSince1970:))
    }
}

extension AdvancedCommerce.RenewalItem {
    fileprivate init(_ object: JSONObject) {
        sku = object["SKU"]?.string
        displayName = object["displayName"]?.string
        description = object["description"]?.string
        price = object["price"]?.int64
        offer = object["offer"]?.object.flatMap(AdvancedCommerce.Offer.init)
        priceIncrease = object["priceIncreaseInfo"]?.object.map(AdvancedCommerce.PriceIncrease.init)
    }
}

extension AdvancedCommerce.PriceIncrease {
    fileprivate init(_ object: JSONObject) {
        price = object["price"]?.int64
        dependentSKUs = object["dependentSKUs"]?.array?.compactMap(\.string) ?? []
        status = object["status"]?.string.map(AdvancedCommerce.PriceIncreaseStatus.init)
    }
}

extension AdvancedCommerce.Refund {
    fileprivate init(_ object: JSONObject) {
        amount = object["refundAmount"]?.int64
        refundedAt = object["refundDate"]?.truncatedInt64.flatMap(Instant.init(millisecondsSince1970:))
        reason = object["refundReason"]?.string.map(AdvancedCommerce.RefundReason.init)
        type = object["refundType"]?.string.map(AdvancedCommerce.RefundType.init)
    }
}

extension JSONObject {
    /// Returns the objects in the array that is a member's value; empty if the value is not an array.
    func objects(_ name: String) -> [JSONObject] { self[name]?.array?.compactMap(\.object) ?? [] }
}
