public import StorekeeperEngine

/// The content of a receipt of the original StoreKit: the app and its purchases.
///
/// The ``CheckedReceipt`` that contains this value shows whether the content can be trusted.
///
/// - SeeAlso: Apple, "Receipt fields".
public struct AppReceipt: Hashable, Sendable {
    /// A purchase, a renewal or a restored purchase.
    public struct Purchase: Hashable, Sendable {
        /// The product.
        public let productID: Product.ID
        /// The id of the transaction; the App Store Server API returns signed evidence for this id.
        public let transactionID: Transaction.ID
        /// The id of the first transaction, if the receipt has it.
        public let originalTransactionID: Transaction.ID?
        /// The number of units.
        public let quantity: Int64
        /// The time of the purchase.
        public let purchasedAt: Instant?
        /// The time of the original purchase.
        public let originallyPurchasedAt: Instant?
        /// The end of a subscription's period.
        public let expiresAt: Instant?
        /// The time at which Apple refunded the purchase, or at which the customer upgraded it.
        public let cancelledAt: Instant?
        /// The id of the subscription's billing event.
        public let webOrderLineItemID: String?
        /// Whether an introductory price applies; `nil` if the receipt lacks this value.
        public let isInIntroductoryPeriod: Bool?
        /// Whether the purchase is a free trial; `nil` if the receipt lacks this value.
        public let isInTrialPeriod: Bool?
        /// The id of the promotional offer that applies.
        public let promotionalOfferID: String?
        /// The type of the product; `nil` if the receipt lacks this value.
        public let productType: Product.ProductType?
        /// Whether the purchase was cancelled by an upgrade; only responses of `verifyReceipt` have this value.
        public let isUpgraded: Bool?

        /// Creates a purchase.
        public init(
            productID: Product.ID, transactionID: Transaction.ID, originalTransactionID: Transaction.ID? = nil,
            quantity: Int64 = 1, purchasedAt: Instant? = nil, originallyPurchasedAt: Instant? = nil,
            expiresAt: Instant? = nil, cancelledAt: Instant? = nil, webOrderLineItemID: String? = nil,
            isInIntroductoryPeriod: Bool? = nil, isInTrialPeriod: Bool? = nil, promotionalOfferID: String? = nil,
            productType: Product.ProductType? = nil, isUpgraded: Bool? = nil
        ) {
            self.productID = productID
            self.transactionID = transactionID
            self.originalTransactionID = originalTransactionID
            self.quantity = quantity
            self.purchasedAt = purchasedAt
            self.originallyPurchasedAt = originallyPurchasedAt
            self.expiresAt = expiresAt
            self.cancelledAt = cancelledAt
            self.webOrderLineItemID = webOrderLineItemID
            self.isInIntroductoryPeriod = isInIntroductoryPeriod
            self.isInTrialPeriod = isInTrialPeriod
            self.promotionalOfferID = promotionalOfferID
            self.productType = productType
            self.isUpgraded = isUpgraded
        }
    }

    /// The type of the receipt, as Apple names it, such as `ProductionSandbox`.
    public let type: String?
    /// The bundle id of the app.
    public let bundleID: String?
    /// The version of the app.
    public let appVersion: String?
    /// The version of the app that the customer downloaded first.
    public let originalAppVersion: String?
    /// The time at which the receipt was created.
    public let createdAt: Instant?
    /// The time of the app's first download.
    public let originallyPurchasedAt: Instant?
    /// The time at which the receipt itself expires, for apps of the Volume Purchase Program.
    public let expiresAt: Instant?
    /// The purchases, in the receipt's order.
    public let purchases: [Purchase]

    /// Creates the content of a receipt.
    public init(
        type: String?, bundleID: String?, appVersion: String? = nil, originalAppVersion: String? = nil,
        createdAt: Instant?, originallyPurchasedAt: Instant? = nil, expiresAt: Instant? = nil,
        purchases: [Purchase] = []
    ) {
        self.type = type
        self.bundleID = bundleID
        self.appVersion = appVersion
        self.originalAppVersion = originalAppVersion
        self.createdAt = createdAt
        self.originallyPurchasedAt = originallyPurchasedAt
        self.expiresAt = expiresAt
        self.purchases = purchases
    }

    /// The environment, which follows from the type; `nil` if the receipt has no type.
    public var environment: AppStore.Environment? {
        switch type {
        case nil: nil
        case "Production", "ProductionVPP": .production
        case "ProductionSandbox", "ProductionVPPSandbox", "Sandbox": .sandbox
        case let word?: AppStore.Environment(rawValue: word)
        }
    }

    /// The ids of all transactions, the newest purchase first.
    ///
    /// With any of these ids, the App Store Server API returns the customer's whole history.
    public var transactionIDs: [Transaction.ID] {
        let sorted = purchases.enumerated().sorted { left, right in
            // A purchase without a date is older than all others.
            let dates = (left.element.purchasedAt ?? .distantPast, right.element.purchasedAt ?? .distantPast)
            return dates.0 == dates.1 ? left.offset < right.offset : dates.0 > dates.1
        }
        var seen: Set<Transaction.ID> = []
        return sorted.map(\.element.transactionID).filter { seen.insert($0).inserted }
    }
}
