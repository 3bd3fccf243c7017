public import FoundationEssentials
public import Storekeeper

/// An event at a simulated App Store, as recorded in the store's journal.
public struct Happening: Hashable, Sendable, Identifiable {
    /// The offer with which a transaction was bought.
    public struct Offer: Hashable, Sendable {
        /// The kind of offer.
        public let kind: SubscriptionOffer.Kind
        /// The offer's id; `nil` for an introductory offer.
        public let id: SubscriptionOffer.ID?
        /// The payment mode of the offer.
        public let paymentMode: SubscriptionOffer.PaymentMode?
        /// Whether the offer is a retention offer.
        ///
        /// The ``kind`` of a retention offer is promotional. See ``OfferReference/isRetention``.
        public let isRetention: Bool

        /// The word for the kind of offer, such as `promotional` or `retention`.
        var word: String { isRetention ? OfferType.retention.word : kind.rawValue }
    }

    /// The index of the happening in the store's journal, from 0.
    public let id: Int
    /// The instant of the happening.
    public let at: Instant
    /// The kind of happening.
    public let kind: HappeningKind
    /// The customer; `nil` if the happening concerns the whole store.
    public let customer: CustomerID?
    /// The app's bundle id, if the happening concerns an app.
    public let app: String?
    /// The product, if the happening concerns a product.
    public let productID: Product.ID?
    /// The transaction, if the happening concerns a transaction.
    public let transactionID: Transaction.ID?
    /// The id of the first transaction in the chain of ``transactionID``.
    public let originalTransactionID: Transaction.ID?
    /// The end of the subscription's period; `nil` for a happening without a subscription.
    public let expiresAt: Instant?
    /// The price of the transaction, multiplied by its quantity; `nil` if a family member shared the purchase, or if
    /// the catalog has no price.
    public let price: Decimal?
    /// The ISO 4217 code of the price's currency.
    public let currency: String?
    /// The offer with which the transaction was bought.
    public let offer: Offer?
    /// The reason for the revocation, as it is written in scenarios: `other`, `developerIssue`, or Apple's number of
    /// the reason.
    public let revocationReason: String?
    /// The refunded share of the price, in thousandths of a per cent; `nil` if nothing was refunded.
    public let revocationPercentage: Int?
    /// An additional detail, such as a product, a reason, or the code of an error.
    public let note: String?
    /// The subscription's `status` as in notifications, from 1 to 5.
    public let status: Int?

    /// The notification's type and subtype, such as `DID_RENEW` or `EXPIRED/VOLUNTARY`.
    public var notification: String? {
        kind.notification.map { type, subtype in subtype.map { "\(type)/\($0)" } ?? type }
    }
}

extension RevocationReason {
    /// The reason, as it is written in scenarios.
    var scenarioText: String {
        switch self {
        case .other: "other"
        case .developerIssue: "developerIssue"
        default: "\(rawValue)"
        }
    }
}

extension Happening {
    /// The JSON members of the happening, except its id, time and customer.
    package var members: [String: JSONText] {
        var members: [String: JSONText] = [
            "what": .string("\(kind)"), "app": .text(app), "productID": .text(productID),
            "transactionID": .text(transactionID?.rawValue),
            "originalTransactionID": .text(originalTransactionID?.rawValue), "expires": .time(expiresAt),
            "note": .text(note), "notification": .text(notification), "status": .whole(status),
            "price": .money(price), "currency": .text(currency), "revocationReason": .text(revocationReason),
            "revocationPercentage": .whole(revocationPercentage),
        ]
        if let offer {
            members["offer"] = .object([
                "type": .string(offer.word), "id": .text(offer.id),
                "paymentMode": .text(offer.paymentMode?.rawValue),
            ])
        }
        return members
    }

    /// The happening as a JSON document.
    package var document: JSONText {
        .object(
            members.merging(["id": .whole(id), "at": .time(at), "person": .text(customer?.rawValue)]) { $1 })
    }
}

extension Happening {
    /// A one-line description, such as `refunded coins.500 (4.99 USD, other), REFUND`.
    package var words: String { words(calling: "\(kind)") }

    /// Returns the description with a given name of the kind of happening.
    package func words(calling name: String) -> String {
        var details: [String] = []
        if kind.isPayment, let price, let currency {
            let share = kind == .refunded ? revocationPercentage.flatMap(Self.share) ?? "" : ""
            details.append("\(share)\(price) \(currency)")
        }
        if kind.isPayment, kind != .refunded, kind != .refundReversed, let offer { details.append(offer.words) }
        if kind == .refunded || kind == .familyAccessEnded, let reason = revocationReason, reason != "other" {
            details.append(reason)
        }
        if let note { details.append(note) }
        var text = "\(name)\(productID.map { " \($0)" } ?? "")"
        if !details.isEmpty { text += " (\(details.joined(separator: ", ")))" }
        return text + (notification.map { ", \($0)" } ?? "")
    }

    private static func share(_ thousandths: Int) -> String? {
        thousandths == 100_000 ? nil : "\(Decimal(thousandths: Int64(thousandths))) % of "
    }
}

extension Happening.Offer {
    /// A short description of the offer, such as `promotional loyal, payAsYouGo`.
    package var words: String {
        [[word, id?.rawValue].compactMap { $0 }.joined(separator: " "), paymentMode?.rawValue].compactMap {
            $0
        }
        .joined(separator: ", ")
    }
}

extension HappeningKind {
    /// Whether the happening is a payment, a refund or the reversal of a refund, so that the description includes the
    /// price.
    fileprivate var isPayment: Bool {
        switch self {
        case .oneTimePurchased, .subscribed, .resubscribed, .renewed, .recovered, .upgraded, .refunded, .refundReversed,
            .offerRedeemedWithUpgrade:
            true
        default: false
        }
    }
}
