public import FoundationEssentials
public import Storekeeper

/// Something that has happened at a simulated App Store, for people to read and programs to compare.
public struct Happening: Hashable, Sendable, Identifiable {
    /// The offer by which a transaction was bought.
    public struct Offer: Hashable, Sendable {
        /// Whom it is for.
        public let kind: SubscriptionOffer.Kind
        /// Its id; `nil` of an introductory offer.
        public let id: String?
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
    /// What else there is to say.
    public let note: String?
    /// What the notification says of the state of the subscription, 1 to 5.
    public let status: Int?

    /// The notification's type and subtype in one word, such as `DID_RENEW` or `EXPIRED/VOLUNTARY`.
    public var notification: String? {
        kind.notification.map { type, subtype in subtype.map { "\(type)/\($0)" } ?? type }
    }
}

extension World {
    func happening(_ sequence: Int) -> Happening {
        let entry = journal[sequence]
        let record = entry.transaction.map { records[Int($0)] }
        var app = entry.download.map { downloads[Int($0)].app }
        var product = record?.product
        var number = record?.number
        if entry.kind == .extensionsSummarized, let subject = entry.subject {
            app = extensionSummaries[Int(subject)].app
            product = extensionSummaries[Int(subject)].product
        } else if record == nil, let subject = entry.subject {
            number = subject
            product = transactions[Int(subject)].product
        }
        let price = record.flatMap { $0.flags.contains(.isFamilyShared) ? nil : $0.price }
        let revocation = record?.revocation
        return Happening(
            id: sequence, at: entry.at, kind: entry.kind, customer: entry.account.map { accounts[Int($0)].name },
            app: app.map { apps[Int($0)].bundleID },
            productID: product.flatMap { place in app.map { apps[Int($0)].product(place).id } },
            transactionID: number.map(id(of:)), originalTransactionID: record.map { id(of: $0.original) },
            expiresAt: record?.expiresAt, price: Milliunits.decimal(price),
            currency: price == nil ? nil : record.map { storefronts[Int($0.storefront)].currency },
            offer: record.flatMap { record in
                record.offer.flatMap { offer in app.map { apps[Int($0)].happeningOffer(offer) } }
            },
            revocationReason: revocation.map { RevocationReason(rawValue: $0.reason).scenarioText },
            revocationPercentage: revocation?.percentage.map(Int.init), note: entry.note.map { notes[Int($0)] },
            status: entry.status == 0 ? nil : Int(entry.status))
    }
}

extension AppTable {
    /// An offer as stories name it.
    func happeningOffer(_ place: Int32) -> Happening.Offer {
        let offer = offers[Int(place)]
        return Happening.Offer(
            kind: offer.kind, id: offer.kind == .introductory ? nil : offer.id, paymentMode: offer.paymentMode)
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
