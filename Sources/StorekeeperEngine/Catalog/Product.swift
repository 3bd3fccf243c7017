public import FoundationEssentials

/// A product that an app sells.
///
/// A value that no file gives is `nil`; access never depends on anything but ids.
///
/// - SeeAlso: Apple, "StoreKit: Product".
public struct Product: Identifiable, Hashable, Sendable {
    /// The product id, as App Store Connect knows it.
    ///
    /// Ids are case-sensitive.
    public typealias ID = ByteIdentifier<Product>

    /// The type of a product.
    ///
    /// - SeeAlso: Apple, "App Store Server API: type".
    public struct ProductType: OpenValue {
        /// The App Store's word.
        public let rawValue: String
        /// Creates a value from a word, known or not.
        public init(rawValue: String) {
            // The App Store's four words are shared literals: a history holds a hundred thousand of them, and equal
            // words at one address compare without being read.
            switch rawValue {
            case "Auto-Renewable Subscription": self.rawValue = "Auto-Renewable Subscription"
            case "Consumable": self.rawValue = "Consumable"
            case "Non-Consumable": self.rawValue = "Non-Consumable"
            case "Non-Renewing Subscription": self.rawValue = "Non-Renewing Subscription"
            default: self.rawValue = rawValue
            }
        }

        /// Bought repeatedly, and used up.
        public static let consumable = ProductType(rawValue: "Consumable")
        /// Bought once and owned for good.
        public static let nonConsumable = ProductType(rawValue: "Non-Consumable")
        /// Access for a limited time that the app measures; the App Store names no end.
        public static let nonRenewable = ProductType(rawValue: "Non-Renewing Subscription")
        /// The type of a purchase in a receipt that says none, and of a product for which no catalog does.
        package static let unstated = ProductType(rawValue: "unstated")
        /// A subscription that renews until it is cancelled.
        public static let autoRenewable = ProductType(rawValue: "Auto-Renewable Subscription")

        /// The values this version knows.
        package static let known: Set<ProductType> = [.consumable, .nonConsumable, .nonRenewable, .autoRenewable]
    }

    /// How several purchases of one non-renewing product add up.
    public enum Stacking: String, Sendable {
        /// Each gives access from its own date.
        case parallel
        /// Each gives access from the end of the one before.
        case extend
    }

    /// The product id.
    public var id: ID
    /// The type; `nil` if no file gives it.
    public var type: ProductType?
    /// The name that customers see.
    public var displayName: String?
    /// The description that customers see.
    public var description: String?
    /// The texts in all languages that the files have; ``displayName`` and ``description`` are those that count without
    /// a language.
    public var localizations: [Localization] = []
    /// The price in units of the currency.
    public var price: Decimal?
    /// The currency of ``price``, by ISO 4217.
    public var currencyCode: String?
    /// Whether a purchase can be shared with the family.
    public var isFamilyShareable: Bool?
    /// The details of an auto-renewable subscription.
    public var subscription: SubscriptionInfo?
    /// How long a purchase of a non-renewing product gives access; `nil`: without end.
    ///
    /// It may have several parts, such as `P1Y2M3D`.
    public var accessDuration: SubscriptionPeriod?
    /// How several purchases of a non-renewing product add up.
    public var stacking: Stacking
    /// The units that one purchase of a consumable adds, by balance; empty: 1 to a balance with the product's name.
    public var grants: [BalanceID: Int64]
    /// The offers by code of a one-time product; a subscription's offers are in ``subscription``.
    public var codeOffers: [SubscriptionOffer] = []
    /// Members of the files that this version does not know.
    package var unknown = UnknownMembers()
    /// All offers, of a subscription or a one-time product.
    package var offers: [SubscriptionOffer] { subscription?.offers ?? codeOffers }

    /// The details of an auto-renewable subscription.
    public struct SubscriptionInfo: Hashable, Sendable {
        /// The id of its group.
        public var subscriptionGroupID: SubscriptionGroup.ID?
        /// Its level of service in the group: 1 is the highest, and several products may share one.
        public var groupLevel: Int?
        /// The length of a period.
        public var subscriptionPeriod: SubscriptionPeriod?
        /// Its offers of all kinds.
        public var offers: [SubscriptionOffer]
        /// The ways to pay for it; empty if the file gives none, which means up front.
        public var billingPlans: [BillingPlan]

        /// Creates a description.
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

        /// The introductory offer; if there are several, that of the plan billed up front.
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
    /// The word the command line prints; for an unknown type, the App Store's own word.
    package var word: String {
        switch self {
        case .consumable: "consumable"
        case .nonConsumable: "nonConsumable"
        case .nonRenewable: "nonRenewable"
        case .autoRenewable: "autoRenewable"
        default: rawValue
        }
    }
}
