package import Storekeeper
import StorekeeperDurable

extension SQLiteTables {
    private static let addEvent = Statement(
        """
        INSERT INTO event(sequence, customer, at, kind, subject, before_word, before_reason, before_product,
          before_transaction, before_until, after_word, after_reason, after_product, after_transaction, after_until)
        VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """)
    private static let selectEvent = """
        SELECT event.sequence, name, at, kind, subject, before_word, before_reason, before_product,
          before_transaction, before_until, after_word, after_reason, after_product, after_transaction, after_until
        FROM event JOIN customer ON customer.id = event.customer
        """
    private static let allEvents = Statement("\(selectEvent) WHERE event.sequence > ? ORDER BY event.sequence LIMIT ?")
    private static let eventsOfCustomer = Statement(
        "\(selectEvent) WHERE event.customer = ? AND event.sequence > ? ORDER BY event.sequence LIMIT ?")

    /// Appends an event.
    package mutating func append(
        _ change: StoreEvent.Change, about customer: CustomerID
    ) throws(VaultError) -> StoreEvent {
        let owner = try numberToWrite(of: customer)
        let sequence = try connection.nextSequence()
        let (kind, subject) = change.subject.columns
        try connection.run(Self.addEvent) {
            $0.int(sequence)
            $0.int(owner)
            $0.instant(change.at)
            $0.int(kind)
            $0.text(subject)
            $0.answer(change.before)
            $0.answer(change.after)
        }
        return StoreEvent(place: FeedPlace(sequence), customer: customer, change: change)
    }

    /// Returns the events that follow a place in the feed, about one customer or about all customers.
    package func events(
        after place: FeedPlace, of customer: CustomerID?, limit: Int
    ) throws(VaultError) -> [StoreEvent] {
        guard let customer else {
            return try connection.all(Self.allEvents) {
                $0.int(place.number)
                $0.int(limit)
            } _: { row throws(VaultError) in
                try event(&row)
            }
        }
        guard let number = try number(of: customer) else { return [] }
        return try connection.all(Self.eventsOfCustomer) {
            $0.int(number)
            $0.int(place.number)
            $0.int(limit)
        } _: { row throws(VaultError) in
            try event(&row)
        }
    }

    private func event(_ row: inout RowReader) throws(VaultError) -> StoreEvent {
        let (sequence, customer, at) = (row.int(), CustomerID(rawValue: row.text()), row.instant())
        let (kind, name) = (row.int(), row.text())
        guard let subject = StoreEvent.Subject(kind: kind, name: name) else {
            throw connection.file.corrupt("event \(sequence) about the unknown kind \(kind)")
        }
        let (before, after) = (StoreEvent.Answer(&row), StoreEvent.Answer(&row))
        return StoreEvent(
            place: FeedPlace(sequence), customer: customer,
            change: StoreEvent.Change(at: at, subject: subject, before: before, after: after))
    }
}

extension StoreEvent.Answer {
    fileprivate init(_ row: inout RowReader) {
        self.init(
            word: row.text(), reason: row.text(), productID: row.optionalText().map { Product.ID($0) },
            transactionID: row.optionalText().map { Transaction.ID($0) }, until: row.optionalInstant())
    }
}

extension ArgumentBinder {
    fileprivate mutating func answer(_ answer: StoreEvent.Answer) {
        text(answer.word)
        text(answer.reasonWord)
        text(answer.productID?.rawValue)
        text(answer.transactionID?.rawValue)
        instant(answer.until)
    }
}
