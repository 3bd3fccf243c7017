public import FoundationEssentials

/// Something an app sells.
///
/// What a file does not say is `nil`; entitlement never depends on more than ids.
///
/// - SeeAlso: Apple, "StoreKit: Product".
public struct Product: Identifiable, Hashable, Sendable {
    /// The product id, as App Store Connect knows it.
    ///
    /// Case counts.
    public typealias ID = ByteIdentifier<Product>

    /// What sort of product it is.
    ///
    /// - SeeAlso: Apple, "App Store Server API: type".
    public struct ProductType: OpenValue {
        /// The word that the App Store uses.
        public let rawValue: String
        /// Makes a value of a word, known or not.
        public init(rawValue: String) {
            // The App Store's four words are kept once each: a history has a hundred thousand of them, and equal
            // words in one place are compared without being read.
            switch rawValue {
            case "Auto-Renewable Subscription": self.rawValue = "Auto-Renewable Subscription"
            case "Consumable": self.rawValue = "Consumable"
            case "Non-Consumable": self.rawValue = "Non-Consumable"
            case "Non-Renewing Subscription": self.rawValue = "Non-Renewing Subscription"
            default: self.rawValue = rawValue
            }
        }

        /// Bought again and again, and used up.
        public static let consumable = ProductType(rawValue: "Consumable")
        /// Bought once and owned for good.
        public static let nonConsumable = ProductType(rawValue: "Non-Consumable")
        /// Access for a time that the app measures; the App Store names no end.
        public static let nonRenewable = ProductType(rawValue: "Non-Renewing Subscription")
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
    /// What sort it is; `nil` where no file says.
    public var type: ProductType?
    /// The name that customers see.
    public var displayName: String?
    /// The description that customers see.
    public var description: String?
    /// The price in units of the currency.
    public var price: Decimal?
    /// The currency of ``price``, by ISO 4217.
    public var currencyCode: String?
    /// Whether a purchase can be shared with the family.
    public var isFamilyShareable: Bool?
    /// What is special about an auto-renewable subscription.
    public var subscription: SubscriptionInfo?
    /// How long a purchase of a non-renewing product gives access; `nil`: without end.
    public var accessDuration: SubscriptionPeriod?
    /// How several purchases of a non-renewing product add up.
    public var stacking: Stacking
    /// What one unit of a consumable adds to which balance; empty: 1 to a balance of the product's own name.
    public var grants: [BalanceID: Int64]
    /// The offers by code of a product that is bought once; those of a subscription stand in ``subscription``.
    public var codeOffers: [SubscriptionOffer] = []
    /// All offers, of a subscription or of a product that is bought once.
    package var offers: [SubscriptionOffer] { subscription?.offers ?? codeOffers }

    /// What is special about an auto-renewable subscription.
    public struct SubscriptionInfo: Hashable, Sendable {
        /// The id of its group.
        public var subscriptionGroupID: SubscriptionGroup.ID?
        /// Its level of service in the group: 1 is the highest, and several products may share one.
        public var groupLevel: Int?
        /// How long a period is.
        public var subscriptionPeriod: SubscriptionPeriod?
        /// Its offers of all kinds.
        public var offers: [SubscriptionOffer]
        /// The ways to pay for it; empty where the file does not say, which means up front.
        public var billingPlans: [BillingPlan]

        /// Makes a description.
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

        /// The introductory offer; where there are several, that of the plan billed up front.
        public var introductoryOffer: SubscriptionOffer? {
            let introductory = offers.filter { $0.kind == .introductory }
            return introductory.first { $0.billingPlanType != .monthly } ?? introductory.first
        }
    }

    /// Makes a product.
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
    /// The word the command line prints; for a type this version does not know, the App Store's own.
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
