public import FoundationEssentials

/// A product that an app sells.
///
/// A value that no file contains is `nil`. Access never depends on names, descriptions or prices.
///
/// - SeeAlso: Apple, "StoreKit: Product".
public struct Product: Identifiable, Hashable, Sendable {
    /// The product id, as it is defined in App Store Connect.
    ///
    /// Ids are case-sensitive.
    public typealias ID = ByteIdentifier<Product>

    /// The type of a product.
    ///
    /// - SeeAlso: Apple, "App Store Server API: type".
    public struct ProductType: OpenValue {
        /// The raw string in the App Store's payloads.
        public let rawValue: String
        /// Creates a value from a raw string, which may be unknown to this version of the package.
        public init(rawValue: String) {
            // The four known strings are shared literals. A history may contain a hundred thousand of these strings,
            // and equal strings at the same address are compared without reading their bytes.
            switch rawValue {
            case "Auto-Renewable Subscription": self.rawValue = "Auto-Renewable Subscription"
            case "Consumable": self.rawValue = "Consumable"
            case "Non-Consumable": self.rawValue = "Non-Consumable"
            case "Non-Renewing Subscription": self.rawValue = "Non-Renewing Subscription"
            default: self.rawValue = rawValue
            }
        }

        /// A product that is used up and can be bought again.
        public static let consumable = ProductType(rawValue: "Consumable")
        /// A product that is bought once and owned permanently.
        public static let nonConsumable = ProductType(rawValue: "Non-Consumable")
        /// A product that gives access for a limited time; the app determines the end, because the App Store does not.
        public static let nonRenewable = ProductType(rawValue: "Non-Renewing Subscription")
        /// The type of a purchase in a receipt if neither the receipt nor a catalog contains the type.
        package static let unstated = ProductType(rawValue: "unstated")
        /// A subscription that renews until it is cancelled.
        public static let autoRenewable = ProductType(rawValue: "Auto-Renewable Subscription")
        /// A subscription to several products that are also sold alone, also by other developers.
        ///
        /// The App Store's text for this type is not documented; transactions of a bundle's members have the type
        /// ``autoRenewable``.
        public static let subscriptionBundle = ProductType(rawValue: "Subscription Bundle")
        /// A subscription to several products that are not sold alone.
        ///
        /// The App Store's text for this type is not documented.
        public static let subscriptionSuite = ProductType(rawValue: "Subscription Suite")

        /// The types of transactions that this version of the package knows.
        package static let known: Set<ProductType> = [.consumable, .nonConsumable, .nonRenewable, .autoRenewable]
        /// The types that a catalog can give to a product.
        static let catalogTypes = known.union([.subscriptionBundle, .subscriptionSuite])

        /// Whether the product contains other subscriptions.
        package var hasMembers: Bool { self == .subscriptionBundle || self == .subscriptionSuite }
        /// Whether a purchase of the product renews until it is cancelled.
        package var renews: Bool { self == .autoRenewable || hasMembers }

        /// Returns whether a transaction's type contradicts this type of its product in a catalog.
        ///
        /// The App Store's types for transactions of bundles and suites are not documented. Apple describes such
        /// transactions as those of auto-renewable subscriptions.
        package func isContradicted(by type: ProductType) -> Bool {
            type != self && !(hasMembers && type == .autoRenewable)
        }
    }

    /// The way in which several purchases of one non-renewing product add up.
    public enum Stacking: String, Sendable {
        /// Each purchase gives access from its own date.
        case parallel
        /// Each purchase gives access from the end of the previous purchase's access.
        case extend
    }

    /// The product id.
    public var id: ID
    /// The type; `nil` if no file contains it.
    public var type: ProductType?
    /// The name that customers see.
    public var displayName: String?
    /// The description that customers see.
    public var description: String?
    /// The texts in all languages that the files contain.
    ///
    /// If a customer's language has no texts, ``displayName`` and ``description`` are used.
    public var localizations: [Localization] = []
    /// The price in units of the currency.
    public var price: Decimal?
    /// The currency of ``price``, as an ISO 4217 code.
    public var currencyCode: String?
    /// Whether a purchase can be shared with the family.
    public var isFamilyShareable: Bool?
    /// The details of an auto-renewable subscription.
    public var subscription: SubscriptionInfo?
    /// The duration of the access that a purchase of a non-renewing product gives; `nil` means access without end.
    ///
    /// The duration may have several parts, such as `P1Y2M3D`.
    public var accessDuration: SubscriptionPeriod?
    /// The subscriptions that a bundle or suite contains, in the order of the file; empty for any other product.
    ///
    /// The product unlocks every feature that one of its members unlocks.
    public var members: [ID] = []
    /// The way in which several purchases of a non-renewing product add up.
    public var stacking: Stacking
    /// The units that a purchase of a consumable adds to each balance; if empty, 1 unit is added to a balance with the
    /// product's id.
    public var grants: [BalanceID: Int64]
    /// The offer codes of a one-time product; the offers of a subscription are in ``subscription``.
    public var codeOffers: [SubscriptionOffer] = []
    /// Members of the catalog files that this version of the package does not know.
    package var unknown = UnknownMembers()
    /// All offers of the product, whether it is a subscription or a one-time product.
    package var offers: [SubscriptionOffer] { subscription?.offers ?? codeOffers }

    /// The details of an auto-renewable subscription.
    public struct SubscriptionInfo: Hashable, Sendable {
        /// The id of the subscription group.
        public var subscriptionGroupID: SubscriptionGroup.ID?
        /// The level of service in the group; 1 is the highest level, and several products may have the same level.
        public var groupLevel: Int?
        /// The length of one subscription period.
        public var subscriptionPeriod: SubscriptionPeriod?
        /// The offers of all kinds.
        public var offers: [SubscriptionOffer]
        /// The ways to pay for the subscription; if empty, a whole period is paid up front.
        public var billingPlans: [BillingPlan]

        /// Creates the details of a subscription.
        public init(
            subscriptionGroupID: SubscriptionGroup.ID? = nil, groupLevel: Int? = nil,
            subscriptionPeriod: SubscriptionPeriod? = nil, offers: [SubscriptionOffer] = [],
            billingPlans: [BillingPlan] = []
        ) {
            self.subscriptionGroupID = subscriptionGroupID
            self.groupLevel = groupLevel
            self.subscriptionPeriod = subscriptionPeriod
            self.offers = offers
            self.billingPlans = billingPlans
        }

        /// The introductory offer; if the subscription has several, the offer of the plan that is billed up front.
        public var introductoryOffer: SubscriptionOffer? {
            let introductory = offers.filter { $0.kind == .introductory }
            return introductory.first { $0.billingPlanType != .monthly } ?? introductory.first
        }
    }

    /// Creates a product.
    public init(
        id: ID, type: ProductType? = nil, displayName: String? = nil, description: String? = nil,
        price: Decimal? = nil, currencyCode: String? = nil, isFamilyShareable: Bool? = nil,
        subscription: SubscriptionInfo? = nil, accessDuration: SubscriptionPeriod? = nil,
        stacking: Stacking = .parallel, grants: [BalanceID: Int64] = [:]
    ) {
        self.id = id
        self.type = type
        self.displayName = displayName
        self.description = description
        self.price = price
        self.currencyCode = currencyCode
        self.isFamilyShareable = isFamilyShareable
        self.subscription = subscription
        self.accessDuration = accessDuration
        self.stacking = stacking
        self.grants = grants
    }
}

extension Product.ProductType {
    /// The text that the command line prints; for an unknown type, the raw string.
    package var word: String {
        switch self {
        case .consumable: "consumable"
        case .nonConsumable: "nonConsumable"
        case .nonRenewable: "nonRenewable"
        case .autoRenewable: "autoRenewable"
        case .subscriptionBundle: "subscriptionBundle"
        case .subscriptionSuite: "subscriptionSuite"
        default: rawValue
        }
    }
}
