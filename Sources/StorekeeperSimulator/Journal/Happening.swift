public import FoundationEssentials
public import Storekeeper

/// Something that has happened at a simulated App Store, for people to read and programs to compare.
public struct Happening: Hashable, Sendable, Identifiable {
    /// The offer by which a transaction was bought.
    public struct Offer: Hashable, Sendable {
        /// Whom it is for.
        public let kind: SubscriptionOffer.Kind
        /// Its id; `nil` of an introductory offer.
        public let id: SubscriptionOffer.ID?
        /// How it is paid.
        public let paymentMode: SubscriptionOffer.PaymentMode?
    }

    /// Its place in the store's story, from 0.
    public let id: Int
    /// When it happened.
    public let at: Instant
    /// What happened.
    public let kind: HappeningKind
    /// Whom it happened to; `nil` where it concerns the whole store.
    public let customer: CustomerID?
    /// The app's bundle id, where it concerns one.
    public let app: String?
    /// The product, where it concerns one.
    public let productID: Product.ID?
    /// The transaction, where it concerns one.
    public let transactionID: Transaction.ID?
    /// The first transaction of its chain.
    public let originalTransactionID: Transaction.ID?
    /// When the period ends, of a subscription.
    public let expiresAt: Instant?
    /// What the transaction cost, times its quantity; `nil` for a family's copy and where the catalog has no price.
    public let price: Decimal?
    /// The currency of the price, ISO 4217.
    public let currency: String?
    /// The offer by which the transaction was bought.
    public let offer: Offer?
    /// Why the transaction was taken back, as scenarios write it: `other`, `developerIssue`, Apple's number.
    public let revocationReason: String?
    /// The share of the price that was paid back, in thousandths of a per cent; `nil`: all of it, or nothing.
    public let revocationPercentage: Int?
    /// A text that completes it: a product, a reason, the code of an error.
    public let note: String?
    /// The state of the subscription as notifications number it, 1 to 5.
    public let status: Int?

    /// The notification's type and subtype in one word, such as `DID_RENEW` or `EXPIRED/VOLUNTARY`.
    public var notification: String? {
        kind.notification.map { type, subtype in subtype.map { "\(type)/\($0)" } ?? type }
    }
}

extension RevocationReason {
    /// The reason as scenarios write it.
    var scenarioText: String {
        switch self {
        case .other: "other"
        case .developerIssue: "developerIssue"
        default: "\(rawValue)"
        }
    }
}
