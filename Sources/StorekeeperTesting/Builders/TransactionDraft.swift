public import Storekeeper

/// An editable transaction for tests: each member of the App Store's payload can be set.
///
/// With the default values, the draft is a valid first purchase of a non-consumable in production. Members that are
/// `nil` are omitted.
///
/// ```swift
/// let monthly = TransactionDraft.purchase(of: goldMonthly, at: .day(0))
/// let renewed = TransactionDraft.renewal(of: monthly)
/// ```
///
/// - SeeAlso: Apple, "App Store Server API: JWSTransactionDecodedPayload".
public struct TransactionDraft: Hashable, Sendable {
    /// `transactionId`.
    public var id: Transaction.ID
    /// `originalTransactionId`.
    public var originalID: Transaction.ID
    /// `productId`.
    public var productID: Product.ID
    /// `type`.
    public var type: Product.ProductType
    /// `purchaseDate`.
    public var purchasedAt: Instant
    /// `signedDate`.
    public var signedAt: Instant
    /// `bundleId`.
    public var bundleID = "com.example.game"
    /// `environment`.
    public var environment = AppStore.Environment.production
    /// `originalPurchaseDate`.
    public var originallyPurchasedAt: Instant?
    /// `expiresDate`, of auto-renewable subscriptions only.
    public var expiresAt: Instant?
    /// `subscriptionGroupIdentifier`, of auto-renewable subscriptions only.
    public var subscriptionGroupID: SubscriptionGroup.ID?
    /// `webOrderLineItemId`, of auto-renewable subscriptions only.
    public var webOrderLineItemID: String?
    /// `quantity`.
    public var quantity: Int64? = 1
    /// `inAppOwnershipType`.
    public var ownership: OwnershipType? = .purchased
    /// `transactionReason`.
    public var reason: TransactionReason? = .purchase
    /// `appAccountToken`, the text of a UUID in lower case.
    public var appAccountToken: String?
    /// `appTransactionId`.
    public var appTransactionID: String?
    /// `revocationDate`.
    public var revokedAt: Instant?
    /// `revocationReason`.
    public var revocationReason: RevocationReason?
    /// `revocationType`.
    public var revocationType: RevocationType?
    /// `revocationPercentage` in thousandths of a percent, 0 to 100000.
    public var revocationPercentage: Int64?
    /// `isUpgraded`, which the App Store omits if it is false.
    public var isUpgraded: Bool?
    /// `billingPlanType`.
    public var billingPlanType: BillingPlanType?
    /// `offerType`.
    public var offerType: OfferType?
    /// `offerIdentifier`.
    public var offerID: SubscriptionOffer.ID?
    /// `offerDiscountType`.
    public var offerPaymentMode: OfferDiscountType?
    /// `offerPeriod`, ISO 8601 text.
    public var offerPeriod: String?
    /// `storefront`.
    public var storefront: String? = "USA"
    /// `storefrontId`.
    public var storefrontID: String? = "143441"
    /// `price` in milliunits of the currency.
    public var price: Int64?
    /// `currency`.
    public var currency: String?
    /// Whether the transaction comes from a receipt of the original StoreKit instead of a signed transaction.
    public var isFromReceipt = false
    /// `previousOriginalTransactionId`.
    public var previousOriginalID: Transaction.ID?
    /// `additionalTransactionReason`.
    public var additionalReason: AdditionalTransactionReason?
    /// Further members of the payload, such as `commitmentInfo` or unknown members.
    ///
    /// If a property above has a value, it replaces the member of the same name.
    public var otherMembers: [String: PayloadValue] = [:]

    /// Creates a draft.
    ///
    /// - Parameters:
    ///   - id: `transactionId`.
    ///   - originalID: `originalTransactionId`; `nil` if the transaction is the first of its chain.
    ///   - productID: `productId`.
    ///   - type: `type`.
    ///   - purchasedAt: `purchaseDate`.
    ///   - signedAt: `signedDate`; `nil` means the purchase date.
    public init(
        id: Transaction.ID = "1000", originalID: Transaction.ID? = nil, productID: Product.ID,
        type: Product.ProductType = .nonConsumable, purchasedAt: Instant = .testEpoch, signedAt: Instant? = nil
    ) {
        self.id = id
        self.originalID = originalID ?? id
        self.productID = productID
        self.type = type
        self.purchasedAt = purchasedAt
        self.signedAt = signedAt ?? purchasedAt
        originallyPurchasedAt = originalID == nil ? purchasedAt : nil
    }

    /// The payload as the App Store would write it: a JSON object in UTF-8, members sorted by name.
    public var payload: [UInt8] {
        var writer = PayloadWriter(otherMembers)
        writer.set("transactionId", id.rawValue)
        writer.set("originalTransactionId", originalID.rawValue)
        writer.set("webOrderLineItemId", webOrderLineItemID)
        writer.set("bundleId", bundleID)
        writer.set("productId", productID.rawValue)
        writer.set("subscriptionGroupIdentifier", subscriptionGroupID?.rawValue)
        writer.set("purchaseDate", purchasedAt)
        writer.set("originalPurchaseDate", originallyPurchasedAt)
        writer.set("expiresDate", expiresAt)
        writer.set("quantity", quantity)
        writer.set("type", type.rawValue)
        writer.set("appAccountToken", appAccountToken)
        writer.set("inAppOwnershipType", ownership?.rawValue)
        writer.set("signedDate", signedAt)
        writer.set("revocationDate", revokedAt)
        writer.set("revocationReason", revocationReason?.rawValue)
        writer.set("revocationType", revocationType?.rawValue)
        writer.set("revocationPercentage", revocationPercentage)
        writer.set("isUpgraded", isUpgraded)
        writer.set("offerType", offerType?.rawValue)
        writer.set("offerIdentifier", offerID?.rawValue)
        writer.set("offerDiscountType", offerPaymentMode?.rawValue)
        writer.set("offerPeriod", offerPeriod)
        writer.set("environment", environment.rawValue)
        writer.set("storefront", storefront)
        writer.set("storefrontId", storefrontID)
        writer.set("transactionReason", reason?.rawValue)
        writer.set("price", price)
        writer.set("currency", currency)
        writer.set("appTransactionId", appTransactionID)
        writer.set("billingPlanType", billingPlanType?.rawValue)
        writer.set("previousOriginalTransactionId", previousOriginalID?.rawValue)
        writer.set("additionalTransactionReason", additionalReason?.rawValue)
        return writer.json
    }

    /// Returns the transaction that the engine decodes from ``payload``.
    ///
    /// The transaction is unsigned, or from a receipt if ``isFromReceipt`` is `true`.
    ///
    /// - Throws: `PayloadError` or `JSONError` if the engine refuses the payload.
    public func transaction() throws -> Transaction {
        let payload = payload
        let source: EvidenceSource = isFromReceipt ? .receipt(payload, isVerified: true) : .unsigned(payload)
        return try Transaction(payload: JSONReader().read(payload).root, source: source)
    }
}
