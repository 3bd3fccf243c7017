extension StoreEvent: RowKind {
    package static let table = TableShape(
        "event", number: 2,
        [.place, .owner, .int("at"), .int("kind"), .text("subject")] + columns(of: "before") + columns(of: "after"),
        key: ["sequence"], indices: [.by("customer")])

    private static func columns(of answer: String) -> [TableShape.Column] {
        [
            .text("\(answer)_word"), .text("\(answer)_reason"), .text("\(answer)_product").optional,
            .text("\(answer)_transaction").optional, .int("\(answer)_until").optional,
        ]
    }

    package static let ofCustomer = TableIndex<StoreEvent, CustomerID>("customer")

    package func write(to row: RowBuffer) {
        let (kind, name) = change.subject.columns
        row.place(place)
        row.owner(customer)
        row.instant(change.at)
        row.int(kind)
        row.text(name)
        for answer in [change.before, change.after] {
            row.text(answer.word)
            row.text(answer.reasonWord)
            row.text(answer.productID?.rawValue)
            row.text(answer.transactionID?.rawValue)
            row.instant(answer.until)
        }
    }

    package init(from row: inout RowReader) throws(VaultError) {
        let (place, customer, at, kind, name) = (row.place(), row.owner(), row.instant(), row.int(), row.text())
        guard let subject = Subject(kind: kind, name: name) else {
            throw VaultError(.corrupt, "event \(place.number) about the unknown kind \(kind)")
        }
        let (before, after) = (Answer(from: &row), Answer(from: &row))
        self.init(
            place: place, customer: customer,
            change: Change(at: at, subject: subject, before: before, after: after))
    }
}

extension StoreEvent.Answer {
    fileprivate init(from row: inout RowReader) {
        self.init(
            word: row.text(), reason: row.text(), productID: row.optionalText().map { Product.ID($0) },
            transactionID: row.optionalText().map { Transaction.ID($0) },
            until: row.optionalInstant())
    }
}

// Databases store these numbers and texts. They must not change after a release.
extension StoreEvent.Subject {
    fileprivate var columns: (kind: Int64, name: String) {
        switch self {
        case .product(let id): (0, id.rawValue)
        case .feature(let id): (1, id.rawValue)
        case .group(let id): (2, id.rawValue)
        case .notification(let kind): (3, kind.rawValue)
        }
    }

    fileprivate init?(kind: Int64, name: String) {
        switch kind {
        case 0: self = .product(Product.ID(name))
        case 1: self = .feature(Feature.ID(name))
        case 2: self = .group(SubscriptionGroup.ID(name))
        case 3:
            guard let kind = StoreEvent.Notification.Kind(rawValue: name) else { return nil }
            self = .notification(kind)
        default: return nil
        }
    }
}
