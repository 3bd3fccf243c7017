public import Storekeeper

/// Something that has happened at a simulated App Store, for people to read and programs to compare.
public struct Happening: Hashable, Sendable, Identifiable {
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
        return Happening(
            id: sequence, at: entry.at, kind: entry.kind, customer: entry.account.map { accounts[Int($0)].name },
            app: app.map { apps[Int($0)].bundleID },
            productID: product.flatMap { place in app.map { apps[Int($0)].product(place).id } },
            transactionID: number.map(id(of:)), originalTransactionID: record.map { id(of: $0.original) },
            expiresAt: record?.expiresAt, note: entry.note.map { notes[Int($0)] },
            status: entry.status == 0 ? nil : Int(entry.status))
    }
}
