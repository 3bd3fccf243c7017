public import FoundationEssentials
public import Storekeeper

extension Product.SubscriptionInfo {
    /// The information about the next renewal of a subscription, signed by the App Store.
    ///
    /// - SeeAlso: Apple, "StoreKit: Product.SubscriptionInfo.RenewalInfo".
    public struct RenewalInfo: StoreSigned {
        /// The renewal info of the store; `nil` if the store has none.
        let record: Storekeeper.RenewalInfo?
        /// The current transaction, which supplies the non-optional properties if the store has no renewal info.
        let transaction: Storekeeper.Transaction

        /// The signed record on which this value is based, including its JWS; `nil` if the store has no renewal info.
        public var signedFact: (any SignedFact)? { record }

        /// The id of the first transaction of the chain.
        public var originalTransactionID: UInt64 { transaction.originalID.number }
        /// The id of the product that the customer has now.
        public var currentProductID: String { (record?.currentProductID ?? transaction.productID).rawValue }
        /// The id of the product that the next renewal will bill; `nil` if auto-renewal is off.
        public var autoRenewPreference: String? { record?.autoRenewPreference?.rawValue }
        /// Whether the subscription will renew.
        public var willAutoRenew: Bool { record?.willAutoRenew ?? false }
        /// The reason why the subscription has expired, or why its renewal fails.
        public var expirationReason: ExpirationReason? {
            record?.expirationReason.map { ExpirationReason(rawValue: Int($0.rawValue)) }
        }
        /// Whether the App Store is retrying the charge, either in a grace period or after it.
        public var isInBillingRetry: Bool { record?.isInBillingRetry ?? false }
        /// The end of the grace period.
        public var gracePeriodExpirationDate: Date? { record?.gracePeriodExpirationDate }
        /// The status of a price increase.
        public var priceIncreaseStatus: PriceIncreaseStatus { PriceIncreaseStatus(record?.priceIncreaseStatus) }
        /// The offer that applies to the next renewal.
        public var offer: Transaction.Offer? { record?.offer.map(Transaction.Offer.init) }
        /// The type of the offer that applies to the next renewal.
        public var offerType: Transaction.OfferType? { offer?.type }
        /// The id of the offer that applies to the next renewal.
        public var offerID: String? { offer?.id }
        /// The payment mode of the offer, as text.
        public var offerPaymentModeStringRepresentation: String? { offer?.paymentMode?.rawValue }
        /// The duration of the offer as ISO 8601 text.
        public var offerPeriodStringRepresentation: String? { record?.offer?.period }
        /// The ids of the win-back offers for which the customer is eligible, with the best first.
        public var eligibleWinBackOfferIDs: [String] { record?.eligibleWinBackOfferIDs.map(\.rawValue) ?? [] }
        /// The start of the current series of periods, in which gaps of less than 60 days are ignored.
        public var recentSubscriptionStartDate: Date {
            record?.recentSubscriptionStartDate ?? transaction.originalPurchaseDate
        }
        /// The time of the next renewal; `nil` if auto-renewal is off.
        public var renewalDate: Date? { record?.renewalDate }
        /// The price of the next renewal, in units of the currency.
        public var renewalPrice: Decimal? { record?.renewalPriceInMilliunits.map(Decimal.init(thousandths:)) }
        /// The currency of ``renewalPrice``.
        public var currency: Locale.Currency? { currencyCode.map { Locale.Currency($0) } }
        /// The currency of ``renewalPrice``, by ISO 4217.
        public var currencyCode: String? { record?.currencyCode }
        /// The app's own id for the customer.
        public var appAccountToken: UUID? { record?.appAccountToken }
        /// The id of the customer's app transaction; empty if an older record does not contain it.
        public var appTransactionID: String { record?.appTransactionID ?? transaction.appTransactionID ?? "" }
        /// The billing plan of the next period.
        public var renewalBillingPlanType: BillingPlanType? {
            record?.renewalBillingPlanType.map { BillingPlanType(rawValue: $0.rawValue) }
        }
        /// The renewal of a commitment of twelve monthly payments; `nil` for a subscription without a commitment.
        public var commitmentInfo: CommitmentInfo? { record?.commitmentInfo.map(CommitmentInfo.init) }
        /// The environment.
        public var environment: AppStore.Environment { AppStore.Environment(rawValue: environmentStringRepresentation) }
        /// The environment as text.
        public var environmentStringRepresentation: String { (record?.environment ?? transaction.environment).rawValue }
        /// The time of signing.
        public var signedDate: Date { record?.signedDate ?? transaction.signedDate }
        /// The payload, as it was signed; empty if the store has no renewal info.
        public var jsonRepresentation: Data { record.map { Data($0.jsonRepresentation) } ?? Data() }
        /// The digest that ties the renewal info to a device; empty if a server obtained the renewal info.
        public var deviceVerification: Data { record?.deviceDigest ?? Data() }
        /// The salt of ``deviceVerification``; zeros if a server obtained the renewal info.
        public var deviceVerificationNonce: UUID { record?.deviceNonce ?? .zero }
    }
}

extension Product.SubscriptionInfo.RenewalInfo: Hashable, CustomDebugStringConvertible {
    /// Returns whether two renewal infos have the same content.
    public static func == (left: Self, right: Self) -> Bool {
        left.transaction.originalID == right.transaction.originalID
            && left.jsonRepresentation == right.jsonRepresentation
    }

    /// Hashes the original transaction id and the time of signing.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(transaction.originalID)
        hasher.combine(signedDate)
    }

    /// The payload as text.
    public var debugDescription: String { String(decoding: jsonRepresentation, as: UTF8.self) }

    /// The reason why a subscription has expired.
    public struct ExpirationReason: RawRepresentable, Hashable, Sendable {
        /// The App Store's number for the reason.
        public let rawValue: Int
        /// Creates a value from any number, including a number without a constant.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// The customer turned auto-renewal off.
        public static let autoRenewDisabled = ExpirationReason(rawValue: 1)
        /// The payment failed.
        public static let billingError = ExpirationReason(rawValue: 2)
        /// The customer did not agree to a price increase.
        public static let didNotConsentToPriceIncrease = ExpirationReason(rawValue: 3)
        /// The product was no longer for sale.
        public static let productUnavailable = ExpirationReason(rawValue: 4)
        /// Any other reason.
        public static let unknown = ExpirationReason(rawValue: 5)

        /// The reason in English.
        public var localizedDescription: String {
            switch self {
            case .autoRenewDisabled: "Auto-Renew Disabled"
            case .billingError: "Billing Error"
            case .didNotConsentToPriceIncrease: "Did Not Consent To Price Increase"
            case .productUnavailable: "Product Unavailable"
            default: "Unknown"
            }
        }
    }

    /// The status of a price increase.
    public enum PriceIncreaseStatus: Hashable, Sendable {
        /// No price increase is pending.
        case noIncreasePending
        /// The customer was asked to agree, and has not answered.
        case pending
        /// The customer agreed, or was notified of an increase that does not require consent.
        case agreed

        init(_ status: Storekeeper.PriceIncreaseStatus?) {
            switch status {
            case .pending: self = .pending
            case .agreed: self = .agreed
            default: self = .noIncreasePending
            }
        }

        /// The status in English.
        public var localizedDescription: String {
            switch self {
            case .noIncreasePending: "No Increase Pending"
            case .pending: "Pending"
            case .agreed: "Agreed"
            }
        }
    }

    /// The renewal of a commitment of twelve monthly payments.
    public struct CommitmentInfo: Hashable, Sendable {
        /// The id of the product of the next commitment.
        public let autoRenewPreference: String?
        /// Whether another commitment follows.
        public let willAutoRenew: Bool
        /// The billing plan of the next commitment.
        public let renewalBillingPlanType: Product.SubscriptionInfo.BillingPlanType?
        /// The beginning of the next commitment.
        public let renewalDate: Date?
        /// The total price of the next commitment, in units of the currency.
        public let renewalPrice: Decimal?

        init(_ info: Storekeeper.RenewalInfo.CommitmentInfo) {
            autoRenewPreference = info.autoRenewProductID?.rawValue
            willAutoRenew = info.autoRenewStatus == .on
            renewalBillingPlanType = info.renewalBillingPlanType.map {
                Product.SubscriptionInfo.BillingPlanType(rawValue: $0.rawValue)
            }
            renewalDate = info.renewsAt?.date
            renewalPrice = info.renewalPriceInMilliunits.map(Decimal.init(thousandths:))
        }
    }
}
