public import FoundationEssentials

/// A purchase, a renewal, or a copy of either for a family member.
///
/// All values are the App Store's; an absent value is `nil`. Times are instants in UTC, exact to the millisecond; the
/// properties that end in `Date` are the same times under StoreKit 2's names. Prices are in milliunits of the currency:
/// 9990 is 9.99.
///
/// An immutable object, so that a copy costs a reference: a vault returns thousands of transactions, and copying thirty
/// members takes longer than most uses of one.
///
/// - SeeAlso: Apple, "App Store Server API: JWSTransactionDecodedPayload" and "StoreKit: Transaction".
public final class Transaction: DecodedFact, Identifiable {
    /// The transaction.
    public let id: ID
    /// The first transaction of the chain this one belongs to; for one-time products usually ``id`` itself.
    ///
    /// A subscription keeps it through renewals, upgrades, lapses and resubscriptions in its group.
    public let originalID: ID
    /// The product.
    public let productID: Product.ID
    /// The type of the product.
    public let productType: Product.ProductType
    /// The group of an auto-renewable subscription.
    public let subscriptionGroupID: SubscriptionGroup.ID?
    /// When it was charged; for a renewal, when its period begins.
    public let purchasedAt: Instant
    /// The end of the period of an auto-renewable subscription, exclusive.
    public let expiresAt: Instant?
    /// The time at which the App Store signed this copy.
    ///
    /// Of two copies the one signed later counts.
    public let signedAt: Instant
    /// The time from which a refund or the end of sharing takes it away.
    public let revokedAt: Instant?
    /// Whether the customer upgraded before its period ended.
    public let isUpgraded: Bool
    /// How the customer acquired it.
    public let ownershipType: OwnershipType
    /// Who caused it.
    public let reason: TransactionReason?
    /// The billing event of a subscription, the same on all devices.
    public let webOrderLineItemID: String?
    /// The bundle id of the app.
    public let appBundleID: String
    /// When the first transaction of the chain was charged.
    public let originallyPurchasedAt: Instant?
    /// The number of units bought; at least 1.
    public let purchasedQuantity: Int
    /// The app's own name for the customer, given at the purchase.
    public let appAccountToken: UUID?
    /// Why it was refunded.
    public let revocationReason: RevocationReason?
    /// How it was revoked.
    public let revocationType: RevocationType?
    /// The refunded share, in milliunits of a percent: 100000 is all.
    ///
    /// `nil` means all.
    public let revocationPercentage: Int64?
    /// The offer that applied to it.
    public let offer: Offer?
    /// The environment.
    public let environment: AppStore.Environment
    /// The country or region of the App Store, by ISO 3166-1 alpha-3.
    public let storefrontCountryCode: String?
    /// The App Store's number for the storefront.
    public let storefrontID: String?
    /// The total price, in milliunits of ``currencyCode``.
    public let priceInMilliunits: Int64?
    /// The currency, by ISO 4217.
    public let currencyCode: String?
    /// The app transaction id: the customer's download of the app.
    public let appTransactionID: String?
    /// The billing plan of the subscription.
    public let billingPlanType: BillingPlanType?
    /// The commitment of a monthly billed yearly subscription.
    public let commitmentInfo: CommitmentInfo?
    /// A digest, as base64 text, that ties the copy to a device; see `DeviceVerification`.
    package let deviceVerification: String?
    /// The salt of ``deviceVerification``.
    package let deviceVerificationNonce: UUID?
    /// The text it was decoded from.
    package let source: EvidenceSource
    /// Members with words or numbers unknown to this version, as `name: value`, and unreadable members, which count as
    /// absent, as `name` and the problem.
    public let unknownValues: [String]

    /// The largest accepted quantity; the App Store sells ten at a time, and seats by the thousand.
    private static let maximumQuantity: Int64 = 1_000_000_000

    /// Decodes a payload, by the rules of ``DecodedFact/init(payload:source:)``.
    package init(payload: JSONValue, source: EvidenceSource) throws(PayloadError) {
        var read = try PayloadReader(payload)
        id = ID(try read.requiredText("transactionId"))
        originalID = ID(try read.requiredText("originalTransactionId"))
        productID = Product.ID(try read.requiredText("productId"))
        productType = try read.requiredWord("type")
        subscriptionGroupID = read.id("subscriptionGroupIdentifier").map { SubscriptionGroup.ID($0) }
        purchasedAt = try read.requiredTime("purchaseDate")
        expiresAt = read.time("expiresDate")
        signedAt = try read.requiredTime("signedDate")
        // The revocation is certain even if its time is unreadable: at the latest it was when this copy was signed.
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
        deviceVerification = read.text("deviceVerification")
        deviceVerificationNonce = read.uuid("deviceVerificationNonce")
        unknownValues = read.unknownValues
        self.source = source
    }

    /// The id of a transaction: the exact text of the payload.
    ///
    /// Ids usually look like numbers, but they have no order, `0` is a valid id, and one id denotes different
    /// transactions in different environments.
    public typealias ID = ByteIdentifier<Transaction>

    /// An offer that applied to a transaction, or will apply to the next.
    public struct Offer: Hashable, Sendable {
        /// The type of the offer.
        public let type: OfferType
        /// The id; for an offer code, its reference name.
        ///
        /// Introductory offers have none.
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

        /// Reads the members of a payload that describe an offer; returns `nil` if its type is absent.
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
        /// The number of the payment, from 1.
        public let billingPeriodNumber: Int64?
        /// The total number of payments.
        public let totalBillingPeriods: Int64?
        /// The end of the whole commitment.
        ///
        /// It has no effect on access.
        public let commitmentExpiresAt: Instant?
        /// The total of the commitment, in milliunits.
        public let commitmentPriceInMilliunits: Int64?

        init(_ read: inout PayloadReader) {
            billingPeriodNumber = read.number("billingPeriodNumber")
            totalBillingPeriods = read.number("totalBillingPeriods")
            commitmentExpiresAt = read.time("commitmentExpiresDate")
            commitmentPriceInMilliunits = read.number("commitmentPrice")
        }
    }
}

// MARK: - As StoreKit 2 names them

extension Transaction {
    /// ``purchasedAt`` as a date.
    public var purchaseDate: Date { purchasedAt.date }
    /// ``originallyPurchasedAt`` as a date; ``purchaseDate`` if the record has none.
    public var originalPurchaseDate: Date { (originallyPurchasedAt ?? purchasedAt).date }
    /// ``expiresAt`` as a date.
    public var expirationDate: Date? { expiresAt?.date }
    /// ``revokedAt`` as a date.
    public var revocationDate: Date? { revokedAt?.date }
    /// Whether it was taken from a receipt of the original StoreKit.
    ///
    /// It then has no signature of its own, and ``signedAt`` is the date of the receipt. A signed copy of the same
    /// transaction always supersedes it, whatever its date, because a receipt says less: not whether the purchase is
    /// shared by a family, and nothing that happened after its date.
    public var isFromReceipt: Bool { if case .receipt = source { true } else { false } }
    /// The price in units of the currency.
    public var price: Decimal? { priceInMilliunits.map { Decimal($0) / 1000 } }
}
