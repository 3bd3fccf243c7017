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
            case .productId: currentProductID = member.text(in: text, &unknown)
            case .autoRenewProductId: autoRenewProductID = member.text(in: text, &unknown)
            case .autoRenewStatus: autoRenewStatus = member.code(in: text, &unknown)
            case .expirationIntent: expirationReason = member.code(in: text, &unknown)
            case .isInBillingRetryPeriod: billingRetryFlag = member.truth(&unknown)
            case .gracePeriodExpiresDate: gracePeriodExpiresAt = member.time(in: text, &unknown)
            case .priceIncreaseStatus: priceIncreaseStatus = member.code(in: text, &unknown)
            case .offerType: offerType = member.code(in: text, &unknown)
            case .offerIdentifier: offerID = member.text(in: text, &unknown)
            case .offerDiscountType: offerPaymentMode = member.openWord(in: text, &unknown)
            case .offerPeriod: offerPeriod = member.text(in: text, &unknown)
            case .recentSubscriptionStartDate: recentSubscriptionStartedAt = member.time(in: text, &unknown)
            case .renewalDate: renewsAt = member.time(in: text, &unknown)
            case .renewalPrice: renewalPrice = member.number(in: text, of: 0...Int64.max, &unknown)
            case .currency: currency = member.text(in: text, &unknown)
            case .eligibleWinBackOfferIds:
                winBackOfferIDs = Self.strings(object.value(of: entry), named: member.name, &unknown)
            case .appAccountToken: appAccountToken = member.uuid(in: text, &unknown)
            case .appTransactionId: appTransactionID = member.text(in: text, &unknown)
            case .renewalBillingPlanType: billingPlanType = member.openWord(in: text, &unknown)
            case .commitmentInfo:
                commitmentInfo = CommitmentInfo(object.value(of: entry), named: member.name, &unknown)
            case .signedDate: signedAt = try member.instant(in: text)
            case .environment: environment = try member.word(in: text, &unknown, mayBeEmpty: false)
            case .deviceVerification: deviceVerification = member.text(in: text, &unknown)
            case .deviceVerificationNonce: deviceVerificationNonce = member.uuid(in: text, &unknown)
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

    /// The texts of an array; what is none of them is left out.
    private static func strings(
        _ value: JSONValue, named name: String, _ unknown: inout UnknownValues
    ) -> [String] {
        let strings = value.array?.map(\.string)
        if strings?.contains(nil) ?? true { unknown.note(PayloadError(name, "is not an array of strings")) }
        return strings?.compactMap { $0 } ?? []
    }
}

extension RenewalInfo.CommitmentInfo {
    fileprivate init?(_ value: JSONValue, named name: String, _ unknown: inout UnknownValues) {
        guard let members = InnerMembers(value, named: name, &unknown) else { return nil }
        autoRenewProductID = members.text("commitmentAutoRenewProductId", &unknown)
        autoRenewStatus = members.number("commitmentAutoRenewStatus", &unknown).map(AutoRenewStatus.init(rawValue:))
        renewalBillingPlanType = members.text("commitmentRenewalBillingPlanType", &unknown).map(
            BillingPlanType.init(rawValue:))
        renewsAt = members.time("commitmentRenewalDate", &unknown)
        renewalPriceInMilliunits = members.number("commitmentRenewalPrice", &unknown)
    }
}
