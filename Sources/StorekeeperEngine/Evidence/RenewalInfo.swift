public import FoundationEssentials

/// What the App Store intends for a subscription once its period ends.
///
/// A renewal info names no app, so it counts only beside a verified transaction of its chain. Times are
/// instants in UTC; prices are in milliunits of the currency.
///
/// - SeeAlso: Apple, "App Store Server API: JWSRenewalInfoDecodedPayload" and
///   "StoreKit: Product.SubscriptionInfo.RenewalInfo".
public struct RenewalInfo: DecodedFact {
    /// The chain it speaks of.
    public let originalTransactionID: Transaction.ID
    /// The product of the last transaction.
    public let currentProductID: Product.ID?
    /// The product that the next renewal will bill.
    public let autoRenewProductID: Product.ID?
    /// Whether it will renew; `nil` where the record does not say.
    public let autoRenewStatus: AutoRenewStatus?
    /// Why it expired, or fails to renew.
    public let expirationReason: ExpirationReason?
    /// Whether the App Store is trying to bill again; `nil` where the record does not say.
    package let billingRetryFlag: Bool?
    /// Until when service goes on although billing failed, exclusive.
    ///
    /// May linger after it has passed.
    public let gracePeriodExpiresAt: Instant?
    /// Whether the customer agreed to a price increase; `nil` where none is pending.
    public let priceIncreaseStatus: PriceIncreaseStatus?
    /// The offer that applies to the next renewal.
    public let offer: Transaction.Offer?
    /// When the current run of service began, lapses of less than 60 days aside.
    public let recentSubscriptionStartedAt: Instant?
    /// When the current period ends or the next one begins.
    public let renewsAt: Instant?
    /// What the next renewal costs, in milliunits of ``currencyCode``.
    public let renewalPriceInMilliunits: Int64?
    /// The currency, by ISO 4217.
    public let currencyCode: String?
    /// Win-back offers the customer can have, the best first.
    public let eligibleWinBackOfferIDs: [SubscriptionOffer.ID]
    /// The app's own name for the customer.
    public let appAccountToken: UUID?
    /// The customer's download of the app.
    package let appTransactionID: String?
    /// How the next period is billed.
    public let renewalBillingPlanType: BillingPlanType?
    /// What becomes of a commitment of twelve payments.
    public let commitmentInfo: CommitmentInfo?
    /// Where it was made.
    public let environment: AppStore.Environment
    /// When the App Store signed it.
    public let signedAt: Instant
    /// A digest, as base64 text, that ties the copy to a device; see `DeviceVerification`.
    package let deviceVerification: String?
    /// The salt of ``deviceVerification``.
    package let deviceVerificationNonce: UUID?
    /// The text it was decoded from.
    package let source: EvidenceSource
    /// Members whose words or numbers this version does not know, as `name: value`, and such as count as absent
    /// because they cannot be read, as `name` and what is wrong.
    public let unknownValues: [String]

    /// What becomes of a commitment of twelve monthly payments when it ends.
    public struct CommitmentInfo: Hashable, Sendable {
        /// The product of the next commitment.
        public let autoRenewProductID: Product.ID?
        /// Whether another commitment follows.
        public let autoRenewStatus: AutoRenewStatus?
        /// How the next commitment is billed.
        public let renewalBillingPlanType: BillingPlanType?
        /// When the next commitment begins.
        public let renewsAt: Instant?
        /// What the next commitment costs in total, in milliunits.
        public let renewalPriceInMilliunits: Int64?
    }
}

// MARK: - As StoreKit 2 names them

extension RenewalInfo {
    /// Whether it will renew.
    public var willAutoRenew: Bool { autoRenewStatus == .on }
    /// The product that the next renewal will bill; `nil` with auto-renewal off.
    package var autoRenewPreference: Product.ID? { willAutoRenew ? autoRenewProductID : nil }
    /// Whether the App Store is trying to bill again.
    package var isInBillingRetry: Bool { billingRetryFlag == true }
    /// ``gracePeriodExpiresAt`` as a date.
    public var gracePeriodExpirationDate: Date? { gracePeriodExpiresAt?.date }
    /// ``renewsAt`` as a date; `nil` with auto-renewal off.
    public var renewalDate: Date? { willAutoRenew ? renewsAt?.date : nil }
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
