public import FoundationEssentials

/// A purchase, a renewal, or a copy of either for a family member.
///
/// All properties are the App Store's; what a record does not carry is `nil`. Times are instants in
/// UTC, exact to the millisecond; the properties that end in `Date` are the same times for readers who
/// know StoreKit 2. Prices are in milliunits of the currency: 9990 is 9.99.
///
/// - SeeAlso: Apple, "App Store Server API: JWSTransactionDecodedPayload" and "StoreKit: Transaction".
public struct Transaction: SignedFact, Identifiable {
    /// The id of a transaction: the exact text it came with.
    ///
    /// Ids mostly look like numbers, but they say nothing about order, `0` is one of them, and one id
    /// stands for different transactions in different environments.
    public struct ID: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
        /// The text.
        public let rawValue: String
        /// Makes an id of its text.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// Makes an id of a literal.
        public init(stringLiteral value: String) { rawValue = value }
        /// The text.
        public var description: String { rawValue }
        /// Whether two ids are the same bytes.
        public static func == (left: ID, right: ID) -> Bool { ByteText.areEqual(left.rawValue, right.rawValue) }
        /// Hashes the text, which is the same where the bytes are.
        public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
    }

    private let content: Content

    /// The transaction.
    public var id: ID { content.id }
    /// The first transaction of the chain this one belongs to; for one-time products mostly ``id`` itself.
    ///
    /// A subscription keeps it through renewals, upgrades, lapses and resubscriptions in its group.
    public var originalID: ID { content.originalID }
    /// The product.
    public var productID: Product.ID { content.productID }
    /// The type of the product.
    public var productType: Product.ProductType { content.productType }
    /// The group of an auto-renewable subscription.
    public var subscriptionGroupID: String? { content.subscriptionGroupID }
    /// When it was charged; for a renewal, when its period begins.
    public var purchasedAt: Instant { content.purchasedAt }
    /// The end of the period of an auto-renewable subscription, exclusive.
    public var expiresAt: Instant? { content.expiresAt }
    /// When the App Store signed this copy.
    ///
    /// Of two copies the one signed later is right.
    public var signedAt: Instant { content.signedAt }
    /// From when on a refund or the end of sharing takes it away.
    public var revokedAt: Instant? { content.revokedAt }
    /// Whether the customer upgraded before its period ended.
    public var isUpgraded: Bool { content.isUpgraded }
    /// How the customer came to it.
    public var ownershipType: OwnershipType { content.ownershipType }
    /// Who caused it.
    public var reason: TransactionReason? { content.reason }
    /// The billing event of a subscription, the same on all devices.
    public var webOrderLineItemID: String? { content.webOrderLineItemID }
    /// The bundle id of the app.
    public var appBundleID: String { content.appBundleID }
    /// When the first transaction of the chain was charged.
    public var originallyPurchasedAt: Instant? { content.originallyPurchasedAt }
    /// How many were bought; at least 1.
    public var purchasedQuantity: Int { content.purchasedQuantity }
    /// The app's own name for the customer, given at the purchase.
    public var appAccountToken: UUID? { content.appAccountToken }
    /// Why it was refunded.
    public var revocationReason: RevocationReason? { content.revocationReason }
    /// How it was revoked.
    public var revocationType: RevocationType? { content.revocationType }
    /// How much of it was refunded, in milliunits of a percent: 100000 is all.
    ///
    /// `nil` means all.
    public var revocationPercentage: Int64? { content.revocationPercentage }
    /// The offer that applied to it.
    public var offer: Offer? { content.offer }
    /// Where it was made.
    public var environment: AppStore.Environment { content.environment }
    /// The country or region of the App Store, by ISO 3166-1 alpha-3.
    public var storefrontCountryCode: String? { content.storefrontCountryCode }
    /// The App Store's number for the storefront.
    public var storefrontID: String? { content.storefrontID }
    /// What it cost in total, in milliunits of ``currencyCode``.
    public var priceInMilliunits: Int64? { content.priceInMilliunits }
    /// The currency, by ISO 4217.
    public var currencyCode: String? { content.currencyCode }
    /// The customer's download of the app.
    public var appTransactionID: String? { content.appTransactionID }
    /// How the subscription is billed.
    public var billingPlanType: BillingPlanType? { content.billingPlanType }
    /// The commitment of a monthly billed yearly subscription.
    public var commitmentInfo: CommitmentInfo? { content.commitmentInfo }
    /// A digest, as base64 text, that ties the copy to a device; see `DeviceVerification`.
    public var deviceVerification: String? { content.deviceVerification }
    /// The salt of ``deviceVerification``.
    public var deviceVerificationNonce: UUID? { content.deviceVerificationNonce }
    /// The text it was decoded from.
    public var source: EvidenceSource { content.source }
    /// Members whose words or numbers this version does not know, as `name: value`, and such as count as absent
    /// because they cannot be read, as `name` and what is wrong.
    public var unknownValues: [String] { content.unknownValues }

    /// An offer that applied to a transaction, or will apply to the next.
    public struct Offer: Hashable, Sendable {
        /// Which kind it is.
        public let type: OfferType
        /// Its id; of an offer code its reference name.
        ///
        /// Introductory offers have none.
        public let id: String?
        /// How it is paid.
        public let paymentMode: OfferDiscountType?
        /// How long it lasts, as ISO 8601 text such as `P1M`.
        public let period: String?

        /// Makes an offer.
        public init(type: OfferType, id: String?, paymentMode: OfferDiscountType?, period: String?) {
            self.type = type
            self.id = id
            self.paymentMode = paymentMode
            self.period = period
        }
    }

    /// Where a transaction stands in a commitment of twelve monthly payments.
    public struct CommitmentInfo: Hashable, Sendable {
        /// Which payment it is, from 1.
        public let billingPeriodNumber: Int64?
        /// How many payments there are.
        public let totalBillingPeriods: Int64?
        /// The end of the whole commitment.
        ///
        /// Says nothing about access.
        public let commitmentExpiresAt: Instant?
        /// The total of the commitment, in milliunits.
        public let commitmentPriceInMilliunits: Int64?
    }
}

extension Transaction {
    /// Decodes a payload, by the rules of ``SignedFact/init(payload:source:)``.
    public init(payload: JSONValue, source: EvidenceSource) throws(PayloadError) {
        var texts = SharedTexts.none
        try self.init(payload: payload, source: source, sharing: &texts)
    }

    /// Decodes one payload of many.
    init(payload: JSONValue, source: EvidenceSource, sharing texts: inout SharedTexts) throws(PayloadError) {
        content = try Content(payload: payload, source: source, sharing: &texts)
    }
}

// MARK: - As StoreKit 2 names them

extension Transaction {
    /// ``purchasedAt`` as a date.
    public var purchaseDate: Date { purchasedAt.date }
    /// ``originallyPurchasedAt`` as a date; where the record has none, ``purchaseDate``.
    public var originalPurchaseDate: Date { (originallyPurchasedAt ?? purchasedAt).date }
    /// ``expiresAt`` as a date.
    public var expirationDate: Date? { expiresAt?.date }
    /// ``revokedAt`` as a date.
    public var revocationDate: Date? { revokedAt?.date }
    /// ``signedAt`` as a date.
    public var signedDate: Date { signedAt.date }
    /// The JSON object that the App Store signed.
    public var jsonRepresentation: [UInt8] { source.payload }
    /// The price in units of the currency.
    public var price: Decimal? { priceInMilliunits.map { Decimal($0) / 1000 } }
}
