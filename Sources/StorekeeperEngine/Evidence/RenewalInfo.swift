public import FoundationEssentials

/// The App Store's signed data about the next renewal of a subscription.
///
/// A renewal info does not contain the app's bundle id. It is therefore used only with a verified transaction of the
/// same original transaction. Times are instants in UTC; prices are in milliunits of the currency.
///
/// - SeeAlso: Apple, "App Store Server API: JWSRenewalInfoDecodedPayload" and
///   "StoreKit: Product.SubscriptionInfo.RenewalInfo".
public struct RenewalInfo: DecodedFact {
    /// The original transaction id of the subscription.
    public let originalTransactionID: Transaction.ID
    /// The product of the subscription's last transaction.
    public let currentProductID: Product.ID?
    /// The product that the next renewal will bill.
    public let autoRenewProductID: Product.ID?
    /// The setting that determines whether the subscription will renew; `nil` if the renewal info does not contain it.
    public let autoRenewStatus: AutoRenewStatus?
    /// The reason why the subscription expired or fails to renew.
    public let expirationReason: ExpirationReason?
    /// Whether the App Store is trying to bill again; `nil` if the renewal info does not contain this flag.
    package let billingRetryFlag: Bool?
    /// The exclusive end of the grace period, during which service continues although billing failed.
    ///
    /// A renewal info may still contain the value after the grace period has ended.
    public let gracePeriodExpiresAt: Instant?
    /// The customer's answer to a price increase; `nil` without a price increase.
    public let priceIncreaseStatus: PriceIncreaseStatus?
    /// The offer that applies to the next renewal.
    public let offer: Transaction.Offer?
    /// The beginning of the current uninterrupted service; a gap of less than 60 days is not an interruption.
    public let recentSubscriptionStartedAt: Instant?
    /// The end of the current period, which is the beginning of the next period.
    public let renewsAt: Instant?
    /// The price of the next renewal, in milliunits of ``currencyCode``.
    public let renewalPriceInMilliunits: Int64?
    /// The currency code of ISO 4217.
    public let currencyCode: String?
    /// The ids of the win-back offers for which the customer is eligible, the best offer first.
    public let eligibleWinBackOfferIDs: [SubscriptionOffer.ID]
    /// The app's own UUID for the customer.
    public let appAccountToken: UUID?
    /// The app transaction id, which identifies the customer's download of the app.
    package let appTransactionID: String?
    /// The billing plan of the next period.
    public let renewalBillingPlanType: BillingPlanType?
    /// The next commitment, which follows the current commitment of twelve monthly payments.
    public let commitmentInfo: CommitmentInfo?
    /// The environment of the App Store.
    public let environment: AppStore.Environment
    /// The time of signing.
    public let signedAt: Instant
    /// A digest, as base64 text, by which a device checks that the data was signed for this device; see
    /// `DeviceVerification`.
    package let deviceVerification: String?
    /// The salt of ``deviceVerification``.
    package let deviceVerificationNonce: UUID?
    /// The JWS or the JSON object from which the payload was read.
    package let source: EvidenceSource
    /// Remarks about members that this version of the package does not understand.
    ///
    /// A member with an unknown string or number is listed as `name: value`. An unreadable member counts as absent and
    /// is listed with its name and the reason.
    public let unknownValues: [String]

    /// The next commitment, which follows the current commitment of twelve monthly payments.
    public struct CommitmentInfo: Hashable, Sendable {
        /// The product of the next commitment.
        public let autoRenewProductID: Product.ID?
        /// Whether another commitment follows.
        public let autoRenewStatus: AutoRenewStatus?
        /// The billing plan of the next commitment.
        public let renewalBillingPlanType: BillingPlanType?
        /// The beginning of the next commitment.
        public let renewsAt: Instant?
        /// The total price of the next commitment, in milliunits.
        public let renewalPriceInMilliunits: Int64?
    }
}

// MARK: - StoreKit 2's names

extension RenewalInfo {
    /// Whether the subscription will renew.
    public var willAutoRenew: Bool { autoRenewStatus == .on }
    /// The product that the next renewal will bill; `nil` if auto-renewal is off.
    package var autoRenewPreference: Product.ID? { willAutoRenew ? autoRenewProductID : nil }
    /// Whether the App Store is trying to bill again.
    package var isInBillingRetry: Bool { billingRetryFlag == true }
    /// ``gracePeriodExpiresAt`` as a date.
    public var gracePeriodExpirationDate: Date? { gracePeriodExpiresAt?.date }
    /// ``renewsAt`` as a date; `nil` if auto-renewal is off.
    public var renewalDate: Date? { willAutoRenew ? renewsAt?.date : nil }
    /// The price of the next renewal, in units of the currency.
    public var renewalPrice: Decimal? { renewalPriceInMilliunits.map(Decimal.init(thousandths:)) }
    /// ``recentSubscriptionStartedAt`` as a date.
    public var recentSubscriptionStartDate: Date? { recentSubscriptionStartedAt?.date }
}

// MARK: - Decoding

extension RenewalInfo {
    /// Decodes a payload, by the rules of ``DecodedFact/init(payload:source:)``.
    package init(payload: JSONValue, source: EvidenceSource) throws(PayloadError) {
        var read = try PayloadReader(payload)
        originalTransactionID = Transaction.ID(try read.requiredText("originalTransactionId"))
        currentProductID = read.text("productId").map { Product.ID($0) }
        autoRenewProductID = read.text("autoRenewProductId").map { Product.ID($0) }
        autoRenewStatus = read.code("autoRenewStatus")
        expirationReason = read.code("expirationIntent")
        billingRetryFlag = read.truth("isInBillingRetryPeriod")
        gracePeriodExpiresAt = read.time("gracePeriodExpiresDate")
        priceIncreaseStatus = read.code("priceIncreaseStatus")
        offer = Transaction.Offer(&read)
        recentSubscriptionStartedAt = read.time("recentSubscriptionStartDate")
        renewsAt = read.time("renewalDate")
        renewalPriceInMilliunits = read.number("renewalPrice", in: 0...Int64.max)
        currencyCode = read.text("currency")
        eligibleWinBackOfferIDs = read.texts("eligibleWinBackOfferIds").map { SubscriptionOffer.ID($0) }
        appAccountToken = read.uuid("appAccountToken")
        appTransactionID = read.text("appTransactionId")
        renewalBillingPlanType = read.openWord("renewalBillingPlanType")
        commitmentInfo = read.object("commitmentInfo") { CommitmentInfo(&$0) }
        environment = try read.requiredWord("environment")
        signedAt = try read.requiredTime("signedDate")
        deviceVerification = read.text("deviceVerification")
        deviceVerificationNonce = read.uuid("deviceVerificationNonce")
        unknownValues = read.unknownValues
        self.source = source
    }
}

extension RenewalInfo.CommitmentInfo {
    fileprivate init(_ read: inout PayloadReader) {
        autoRenewProductID = read.text("commitmentAutoRenewProductId").map { Product.ID($0) }
        autoRenewStatus = read.number("commitmentAutoRenewStatus").map(AutoRenewStatus.init(rawValue:))
        renewalBillingPlanType = read.text("commitmentRenewalBillingPlanType").map(BillingPlanType.init(rawValue:))
        renewsAt = read.time("commitmentRenewalDate")
        renewalPriceInMilliunits = read.number("commitmentRenewalPrice")
    }
}
