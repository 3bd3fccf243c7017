public import FoundationEssentials

/// What the App Store intends for a subscription once its period ends.
///
/// A renewal info names no app, so it counts only beside a verified transaction of its chain. Times are
/// instants in UTC; prices are in milliunits of the currency.
///
/// - SeeAlso: Apple, "App Store Server API: JWSRenewalInfoDecodedPayload" and
///   "StoreKit: Product.SubscriptionInfo.RenewalInfo".
public struct RenewalInfo: SignedFact {
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
    public let billingRetryFlag: Bool?
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
    public let eligibleWinBackOfferIDs: [String]
    /// The app's own name for the customer.
    public let appAccountToken: UUID?
    /// The customer's download of the app.
    public let appTransactionID: String?
    /// How the next period is billed.
    public let renewalBillingPlanType: BillingPlanType?
    /// What becomes of a commitment of twelve payments.
    public let commitmentInfo: CommitmentInfo?
    /// Where it was made.
    public let environment: AppStore.Environment
    /// When the App Store signed it.
    public let signedAt: Instant
    /// A digest, as base64 text, that ties the copy to a device; see `DeviceVerification`.
    public let deviceVerification: String?
    /// The salt of ``deviceVerification``.
    public let deviceVerificationNonce: UUID?
    /// The text it was decoded from.
    public let source: EvidenceSource
    /// Members whose words or numbers this version does not know, as `name: value`.
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
    public var autoRenewPreference: Product.ID? { willAutoRenew ? autoRenewProductID : nil }
    /// Whether the App Store is trying to bill again.
    public var isInBillingRetry: Bool { billingRetryFlag == true }
    /// ``gracePeriodExpiresAt`` as a date.
    public var gracePeriodExpirationDate: Date? { gracePeriodExpiresAt?.date }
    /// ``renewsAt`` as a date; `nil` with auto-renewal off.
    public var renewalDate: Date? { willAutoRenew ? renewsAt?.date : nil }
    /// ``recentSubscriptionStartedAt`` as a date.
    public var recentSubscriptionStartDate: Date? { recentSubscriptionStartedAt?.date }
    /// ``signedAt`` as a date.
    public var signedDate: Date { signedAt.date }
    /// The JSON object that the App Store signed.
    public var jsonRepresentation: [UInt8] { source.payload }
}

// MARK: - Decoding

extension RenewalInfo {
    /// The members of the payload, by the App Store's names.
    enum Member: String, CaseIterable, Sendable {
        case originalTransactionId, productId, autoRenewProductId, autoRenewStatus, expirationIntent
        case isInBillingRetryPeriod, gracePeriodExpiresDate, priceIncreaseStatus, offerType, offerIdentifier
        case offerDiscountType, offerPeriod, recentSubscriptionStartDate, renewalDate, renewalPrice, currency
        case eligibleWinBackOfferIds, appAccountToken, appTransactionId, renewalBillingPlanType, commitmentInfo
        case signedDate, environment, deviceVerification, deviceVerificationNonce

        static let table = WordTable(Member.self)
    }

    /// Decodes a payload, by the rules of ``SignedFact/init(payload:source:)``.
    public init(payload: JSONValue, source: EvidenceSource) throws(PayloadError) {
        guard let object = payload.object else { throw PayloadError("payload", "is not an object") }
        var originalTransactionID: String?
        var currentProductID: String?
        var autoRenewProductID: String?
        var autoRenewStatus: AutoRenewStatus?
        var expirationReason: ExpirationReason?
        var billingRetryFlag: Bool?
        var gracePeriodExpiresAt: Instant?
        var priceIncreaseStatus: PriceIncreaseStatus?
        var offerType: OfferType?
        var offerID: String?
        var offerPaymentMode: OfferDiscountType?
        var offerPeriod: String?
        var recentSubscriptionStartedAt: Instant?
        var renewsAt: Instant?
        var renewalPrice: Int64?
        var currency: String?
        var winBackOfferIDs: [String] = []
        var appAccountToken: UUID?
        var appTransactionID: String?
        var billingPlanType: BillingPlanType?
        var commitmentInfo: CommitmentInfo?
        var signedAt: Instant?
        var environment: AppStore.Environment?
        var deviceVerification: String?
        var deviceVerificationNonce: UUID?
        var unknown = UnknownValues()

        try object.forEachPresent { entry, text throws(PayloadError) in
            guard let name = Member.table.value(of: entry.name, in: text) else { return }
            let member = PayloadMember(name, entry.value)
            switch name {
            case .originalTransactionId: originalTransactionID = try member.nonEmptyString(in: text)
            case .productId: currentProductID = try member.nonEmptyString(in: text)
            case .autoRenewProductId: autoRenewProductID = try member.nonEmptyString(in: text)
            case .autoRenewStatus:
                autoRenewStatus = unknown.noting(AutoRenewStatus(rawValue: try member.integer(in: text)), of: member)
            case .expirationIntent:
                expirationReason = unknown.noting(ExpirationReason(rawValue: try member.integer(in: text)), of: member)
            case .isInBillingRetryPeriod: billingRetryFlag = try member.bool()
            case .gracePeriodExpiresDate: gracePeriodExpiresAt = try member.instant(in: text)
            case .priceIncreaseStatus:
                priceIncreaseStatus = unknown.noting(
                    PriceIncreaseStatus(rawValue: try member.integer(in: text)), of: member)
            case .offerType: offerType = unknown.noting(OfferType(rawValue: try member.integer(in: text)), of: member)
            case .offerIdentifier: offerID = try member.string(in: text)
            case .offerDiscountType: offerPaymentMode = try member.word(in: text, &unknown)
            case .offerPeriod: offerPeriod = try member.string(in: text)
            case .recentSubscriptionStartDate: recentSubscriptionStartedAt = try member.instant(in: text)
            case .renewalDate: renewsAt = try member.instant(in: text)
            case .renewalPrice: renewalPrice = try member.integer(in: text)
            case .currency: currency = try member.string(in: text)
            case .eligibleWinBackOfferIds:
                winBackOfferIDs = try Self.strings(object.value(of: entry), named: member.name)
            case .appAccountToken: appAccountToken = unknown.uuid(try member.string(in: text), of: member)
            case .appTransactionId: appTransactionID = try member.string(in: text)
            case .renewalBillingPlanType: billingPlanType = try member.word(in: text, &unknown)
            case .commitmentInfo: commitmentInfo = try CommitmentInfo(object.value(of: entry), named: member.name)
            case .signedDate: signedAt = try member.instant(in: text)
            case .environment: environment = try member.word(in: text, &unknown, mayBeEmpty: false)
            case .deviceVerification: deviceVerification = try member.string(in: text)
            case .deviceVerificationNonce:
                deviceVerificationNonce = unknown.uuid(try member.string(in: text), of: member)
            }
        }
        guard let originalTransactionID else { throw PayloadError("originalTransactionId", "is missing") }
        guard let environment else { throw PayloadError("environment", "is missing") }
        guard let signedAt else { throw PayloadError("signedDate", "is missing") }

        self.originalTransactionID = Transaction.ID(rawValue: originalTransactionID)
        self.currentProductID = currentProductID
        self.autoRenewProductID = autoRenewProductID
        self.autoRenewStatus = autoRenewStatus
        self.expirationReason = expirationReason
        self.billingRetryFlag = billingRetryFlag
        self.gracePeriodExpiresAt = gracePeriodExpiresAt
        self.priceIncreaseStatus = priceIncreaseStatus
        offer = offerType.map {
            Transaction.Offer(type: $0, id: offerID, paymentMode: offerPaymentMode, period: offerPeriod)
        }
        self.recentSubscriptionStartedAt = recentSubscriptionStartedAt
        self.renewsAt = renewsAt
        renewalPriceInMilliunits = renewalPrice
        currencyCode = currency
        eligibleWinBackOfferIDs = winBackOfferIDs
        self.appAccountToken = appAccountToken
        self.appTransactionID = appTransactionID
        renewalBillingPlanType = billingPlanType
        self.commitmentInfo = commitmentInfo
        self.environment = environment
        self.signedAt = signedAt
        self.deviceVerification = deviceVerification
        self.deviceVerificationNonce = deviceVerificationNonce
        self.source = source
        unknownValues = unknown.descriptions
    }

    private static func strings(_ value: JSONValue, named name: String) throws(PayloadError) -> [String] {
        guard let array = value.array else { throw PayloadError(name, "is not an array of strings") }
        var strings: [String] = []
        for element in array {
            guard let string = element.string else { throw PayloadError(name, "is not an array of strings") }
            strings.append(string)
        }
        return strings
    }
}

extension RenewalInfo.CommitmentInfo {
    fileprivate init(_ value: JSONValue, named name: String) throws(PayloadError) {
        guard let object = value.object else { throw PayloadError(name, "is not an object") }
        autoRenewProductID = object["commitmentAutoRenewProductId"]?.string
        autoRenewStatus = object["commitmentAutoRenewStatus"]?.int64.map(AutoRenewStatus.init(rawValue:))
        renewalBillingPlanType = object["commitmentRenewalBillingPlanType"]?.string.map(
            BillingPlanType.init(rawValue:))
        renewsAt = object["commitmentRenewalDate"]?.truncatedInt64.flatMap(Instant.init(millisecondsSince1970:))
        renewalPriceInMilliunits = object["commitmentRenewalPrice"]?.int64
    }
}
