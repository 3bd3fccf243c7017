public import FoundationEssentials
public import Storekeeper

/// An event at a simulated App Store, for people to read and programs to compare.
public struct Happening: Hashable, Sendable, Identifiable {
    /// The offer by which a transaction was bought.
    public struct Offer: Hashable, Sendable {
        /// The kind of offer.
        public let kind: SubscriptionOffer.Kind
        /// Its id; `nil` for an introductory offer.
        public let id: SubscriptionOffer.ID?
        /// How it is paid.
        public let paymentMode: SubscriptionOffer.PaymentMode?
    }

    /// Its index in the store's story, from 0.
    public let id: Int
    /// When it happened.
    public let at: Instant
    /// What happened.
    public let kind: HappeningKind
    /// The customer; `nil` if it concerns the whole store.
    public let customer: CustomerID?
    /// The app's bundle id, if it concerns one.
    public let app: String?
    /// The product, if it concerns one.
    public let productID: Product.ID?
    /// The transaction, if it concerns one.
    public let transactionID: Transaction.ID?
    /// The first transaction of its chain.
    public let originalTransactionID: Transaction.ID?
    /// When the period ends, for a subscription.
    public let expiresAt: Instant?
    /// The price of the transaction, times its quantity; `nil` for a family's copy and if the catalog has no price.
    public let price: Decimal?
    /// The currency of the price, ISO 4217.
    public let currency: String?
    /// The offer by which the transaction was bought.
    public let offer: Offer?
    /// Why the transaction was revoked, as scenarios write it: `other`, `developerIssue`, Apple's number.
    public let revocationReason: String?
    /// The refunded share of the price, in thousandths of a per cent; `nil` for all of it, or nothing.
    public let revocationPercentage: Int?
    /// An additional text: a product, a reason, the code of an error.
    public let note: String?
    /// The number of the subscription's state in notifications, 1 to 5.
    public let status: Int?

    /// The notification's type and subtype, such as `DID_RENEW` or `EXPIRED/VOLUNTARY`.
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
