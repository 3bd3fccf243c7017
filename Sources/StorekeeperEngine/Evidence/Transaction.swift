public import FoundationEssentials

/// A purchase or a renewal, or a family member's share of a purchase or renewal.
///
/// All values are read from the App Store's payload; an absent value is `nil`. Times are instants in UTC, exact to the
/// millisecond; the properties that end in `Date` are the same times under StoreKit 2's names. Prices are in milliunits
/// of the currency: 9990 is 9.99.
///
/// The type is an immutable class, so that passing a transaction copies only a reference. A vault returns thousands of
/// transactions, and copying the thirty properties of a transaction would take longer than most uses of it.
///
/// - SeeAlso: Apple, "App Store Server API: JWSTransactionDecodedPayload" and "StoreKit: Transaction".
public final class Transaction: DecodedFact, Identifiable {
    /// The id of the transaction.
    public let id: ID
    /// The id of the first transaction of a subscription or purchase; usually equal to ``id`` for one-time products.
    ///
    /// The value stays the same for all renewals, upgrades, lapses and resubscriptions of a subscription in its group.
    public let originalID: ID
    /// The original transaction id of the line of service that this one replaces; `nil` if it replaces none.
    ///
    /// A move between a subscription and a bundle, and a migration to the Advanced Commerce API, start a new line of
    /// service.
    public let previousOriginalTransactionID: ID?
    /// The id of the product.
    public let productID: Product.ID
    /// The type of the product.
    public let productType: Product.ProductType
    /// The group of an auto-renewable subscription.
    public let subscriptionGroupID: SubscriptionGroup.ID?
    /// The time of the charge; for a renewal, the beginning of its period.
    public let purchasedAt: Instant
    /// The end of the period of an auto-renewable subscription, exclusive.
    public let expiresAt: Instant?
    /// The time at which the App Store signed this version of the transaction.
    ///
    /// The App Store signs a transaction again when it changes. Of two versions, the version that was signed later is
    /// used.
    public let signedAt: Instant
    /// The time from which the transaction is revoked by a refund or by the end of Family Sharing.
    public let revokedAt: Instant?
    /// Whether the customer upgraded before the end of the period.
    public let isUpgraded: Bool
    /// The way in which the customer acquired the product.
    public let ownershipType: OwnershipType
    /// The cause of the transaction.
    public let reason: TransactionReason?
    /// The id of a subscription's billing event, which is the same on all devices.
    public let webOrderLineItemID: String?
    /// The bundle id of the app.
    public let appBundleID: String
    /// The time at which the first transaction of the chain was charged.
    public let originallyPurchasedAt: Instant?
    /// The number of units bought; at least 1.
    public let purchasedQuantity: Int
    /// The app's own UUID for the customer, which the app sets at the purchase.
    public let appAccountToken: UUID?
    /// The reason for the refund.
    public let revocationReason: RevocationReason?
    /// The type of the revocation.
    public let revocationType: RevocationType?
    /// The refunded share of the price, in thousandths of a percent; 100000 is the whole price.
    ///
    /// `nil` means the whole price.
    public let revocationPercentage: Int64?
    /// The offer that applied to the transaction.
    public let offer: Offer?
    /// The environment of the App Store.
    public let environment: AppStore.Environment
    /// The country or region of the storefront, as an ISO 3166-1 alpha-3 code.
    public let storefrontCountryCode: String?
    /// The App Store's number for the storefront.
    public let storefrontID: String?
    /// The total price, in milliunits of ``currencyCode``.
    public let priceInMilliunits: Int64?
    /// The ISO 4217 code of the currency.
    public let currencyCode: String?
    /// The app transaction id, which identifies the customer's download of the app.
    public let appTransactionID: String?
    /// The billing plan of the subscription.
    public let billingPlanType: BillingPlanType?
    /// The commitment of a yearly subscription that is billed monthly.
    public let commitmentInfo: CommitmentInfo?
    /// The reason why the period has several transactions; every transaction of the period has the same reason.
    public let additionalTransactionReason: AdditionalTransactionReason?
    /// A digest, in base64, that ties this signed copy to a device; see `DeviceVerification`.
    package let deviceVerification: String?
    /// The salt of ``deviceVerification``.
    package let deviceVerificationNonce: UUID?
    /// The JWS or the JSON object that the payload was read from.
    package let source: EvidenceSource
    /// Descriptions of the payload's members that this version of the package does not understand.
    ///
    /// A member with an unknown string or number is listed as `name: value`. An unreadable member counts as absent and
    /// is listed with its name and the reason.
    public let unknownValues: [String]

    /// The largest accepted quantity, far above the ten units or thousands of seats that the App Store sells at a time.
    private static let maximumQuantity: Int64 = 1_000_000_000

    /// Decodes a payload, by the rules of ``DecodedFact/init(payload:source:)``.
    package init(payload: JSONValue, source: EvidenceSource) throws(PayloadError) {
        var read = try PayloadReader(payload)
        id = ID(try read.requiredText("transactionId"))
        originalID = ID(try read.requiredText("originalTransactionId"))
        previousOriginalTransactionID = read.id("previousOriginalTransactionId").map { ID($0) }
        productID = Product.ID(try read.requiredText("productId"))
        productType = try read.requiredWord("type")
        subscriptionGroupID = read.id("subscriptionGroupIdentifier").map { SubscriptionGroup.ID($0) }
        purchasedAt = try read.requiredTime("purchaseDate")
        expiresAt = read.time("expiresDate")
        signedAt = try read.requiredTime("signedDate")
        // A revocation with an unreadable time still revokes the transaction. In this case, the time of signing counts
        // as the time of the revocation, because the revocation happened before this copy was signed.
        revokedAt = read.time("revocationDate") ?? (read.has("revocationDate") ? signedAt : nil)
        isUpgraded = read.truth("isUpgraded") ?? false
        ownershipType = read.openWord("inAppOwnershipType") ?? .purchased
        reason = read.openWord("transactionReason")
        webOrderLineItemID = read.text("webOrderLineItemId")
        appBundleID = try read.requiredText("bundleId")
        originallyPurchasedAt = read.time("originalPurchaseDate")
        purchasedQuantity = Int(read.number("quantity", in: 1...Self.maximumQuantity) ?? 1)
        appAccountToken = read.uuid("appAccountToken")
        revocationReason = read.code("revocationReason")
        revocationType = read.openWord("revocationType")
        revocationPercentage = read.number("revocationPercentage", in: 0...100_000)
        offer = Offer(&read)
        environment = try read.requiredWord("environment")
        storefrontCountryCode = read.text("storefront")
        storefrontID = read.text("storefrontId")
        priceInMilliunits = read.number("price", in: 0...Int64.max)
        currencyCode = read.text("currency")
        appTransactionID = read.text("appTransactionId")
        billingPlanType = read.openWord("billingPlanType")
        commitmentInfo = read.object("commitmentInfo") { CommitmentInfo(&$0) }
        additionalTransactionReason = read.openWord("additionalTransactionReason")
        deviceVerification = read.text("deviceVerification")
        deviceVerificationNonce = read.uuid("deviceVerificationNonce")
        unknownValues = read.unknownValues
        self.source = source
    }

    /// The id of a transaction, which is the exact text in the payload.
    ///
    /// Ids usually look like numbers, but have no order, and `0` is a valid id. The same id denotes different
    /// transactions in different environments.
    public typealias ID = ByteIdentifier<Transaction>

    /// An offer that applied to a transaction, or will apply to the next renewal.
    public struct Offer: Hashable, Sendable {
        /// The type of the offer.
        public let type: OfferType
        /// The id of the offer; for an offer code, the reference name of the offer.
        ///
        /// Introductory offers have no id.
        public let id: SubscriptionOffer.ID?
        /// The payment mode.
        public let paymentMode: OfferDiscountType?
        /// The duration as ISO 8601 text, such as `P1M`.
        public let period: String?

        /// Creates an offer.
        package init(type: OfferType, id: SubscriptionOffer.ID?, paymentMode: OfferDiscountType?, period: String?) {
            self.type = type
            self.id = id
            self.paymentMode = paymentMode
            self.period = period
        }

        /// Reads the members of a payload that describe an offer; returns `nil` if the type of the offer is absent.
        init?(_ read: inout PayloadReader) {
            let type: OfferType? = read.code("offerType")
            id = read.text("offerIdentifier").map { SubscriptionOffer.ID($0) }
            paymentMode = read.openWord("offerDiscountType")
            period = read.text("offerPeriod")
            guard let type else { return nil }
            self.type = type
        }
    }

    /// The position of a transaction in a commitment of twelve monthly payments.
    public struct CommitmentInfo: Hashable, Sendable {
        /// The number of the payment, counted from 1.
        public let billingPeriodNumber: Int64?
        /// The total number of payments.
        public let totalBillingPeriods: Int64?
        /// The end of the whole commitment.
        ///
        /// The end of a commitment has no effect on access.
        public let commitmentExpiresAt: Instant?
        /// The total price of the commitment, in milliunits.
        public let commitmentPriceInMilliunits: Int64?

        init(_ read: inout PayloadReader) {
            billingPeriodNumber = read.number("billingPeriodNumber")
            totalBillingPeriods = read.number("totalBillingPeriods")
            commitmentExpiresAt = read.time("commitmentExpiresDate")
            commitmentPriceInMilliunits = read.number("commitmentPrice")
        }
    }
}

// MARK: - StoreKit 2's names

extension Transaction {
    /// ``purchasedAt`` as a date.
    public var purchaseDate: Date { purchasedAt.date }
    /// ``originallyPurchasedAt`` as a date; ``purchaseDate`` if the payload does not contain that time.
    public var originalPurchaseDate: Date { (originallyPurchasedAt ?? purchasedAt).date }
    /// ``expiresAt`` as a date.
    public var expirationDate: Date? { expiresAt?.date }
    /// ``revokedAt`` as a date.
    public var revocationDate: Date? { revokedAt?.date }
    /// Whether the transaction was taken from a receipt of the original StoreKit.
    ///
    /// A transaction from a receipt has no signature of its own, and its ``signedAt`` is the date of the receipt. A
    /// signed copy of the same transaction supersedes the transaction from the receipt, even if the signed copy is
    /// older, because a receipt contains less. For example, a receipt does not contain family sharing, or events after
    /// its date.
    public var isFromReceipt: Bool { if case .receipt = source { true } else { false } }
    /// The price in units of the currency.
    public var price: Decimal? { priceInMilliunits.map(Decimal.init(thousandths:)) }
}
