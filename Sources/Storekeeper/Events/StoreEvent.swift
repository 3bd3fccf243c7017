/// A change of an answer about a customer, or a notification about which the app's server must do something itself.
///
/// An event is written only once. If new evidence changes the answer, the same step writes the evidence and the event.
///
/// While the App Store's whole history of a customer was never read, an event says `unknown` where the store's answer does,
/// in place of `never`. The first reading turns such answers into `never` without an event, because nothing was bought.
public struct StoreEvent: Hashable, Sendable {
    /// The subject of an answer.
    public enum Subject: Hashable, Sendable {
        /// A product.
        case product(Product.ID)
        /// A feature.
        case feature(Feature.ID)
        /// The highest status of a subscription group.
        case group(SubscriptionGroup.ID)
        /// A notification of the App Store, which changes no answer; see ``StoreEvent/notification``.
        case notification(Notification.Kind)
    }

    /// The short form of an answer that an event stores.
    public struct Answer: Hashable, Sendable {
        /// `entitled`, `pending`, `lapsed`, `never` or `unknown`; for a group with a status, the state of its highest
        /// status.
        package let word: String
        /// The raw value of the ``EntitlementAnswer/Reason``; for a group, `entitled` or `notEntitled`.
        package let reasonWord: String
        /// The product that decides the answer; for an answer about a product, the product itself.
        public let productID: Product.ID?
        /// The transaction that decides the answer; `nil` if no transaction decides it.
        public let transactionID: Transaction.ID?
        /// The end of the answer according to the evidence at the time of the event, exclusive, in UTC; `nil` if the
        /// answer has no end.
        public let until: Instant?

        /// Creates an answer from the raw values of its kind and its reason.
        package init(
            word: String, reason: String, productID: Product.ID? = nil, transactionID: Transaction.ID? = nil,
            until: Instant? = nil
        ) {
            self.word = word
            reasonWord = reason
            self.productID = productID
            self.transactionID = transactionID
            self.until = until
        }
    }

    /// A change of an answer, without the customer and the place in the feed.
    public struct Change: Hashable, Sendable {
        /// The instant at which the answer changed, in UTC: the instant at which the evidence was learned, or the exact
        /// end of a lapsed period.
        public let at: Instant
        /// The subject of the answer.
        public let subject: Subject
        /// The answer before the change.
        public let before: Answer
        /// The answer after the change.
        public let after: Answer

        /// Creates a change.
        package init(at: Instant, subject: Subject, before: Answer, after: Answer) {
            self.at = at
            self.subject = subject
            self.before = before
            self.after = after
        }
    }

    /// The position of the event in the vault's feed.
    ///
    /// A subscriber stores this place to continue reading after it.
    public let place: FeedPlace
    /// The customer whose answer changed, or ``CustomerID/nobody`` for a notification that names no customer.
    public let customer: CustomerID
    /// The change.
    public let change: Change

    /// Creates an event.
    package init(place: FeedPlace, customer: CustomerID, change: Change) {
        self.place = place
        self.customer = customer
        self.change = change
    }
}

extension StoreEvent.Answer {
    /// The kind of the answer; `nil` for a group that has a status.
    public var kind: EntitlementAnswer.Kind? { EntitlementAnswer.Kind(rawValue: word) }
    /// The reason of the answer; `nil` for a group.
    public var reason: EntitlementAnswer.Reason? { EntitlementAnswer.Reason(rawValue: reasonWord) }
    /// The highest status of a group; `nil` for a product, for a feature, and for a group without a status.
    public var state: RenewalState? { RenewalState(rawValue: word) }
    /// Whether the answer gives access.
    public var isEntitled: Bool { word == entitled || reasonWord == entitled }

    private var entitled: String { EntitlementAnswer.Kind.entitled.rawValue }
}

extension StoreEvent: CustomStringConvertible {
    /// The customer and the change, such as `anna: gold.monthly is lapsed (expired), was entitled (active)`.
    public var description: String { customer == .nobody ? "\(change)" : "\(customer): \(change)" }
}

extension StoreEvent.Change: CustomStringConvertible {
    /// The subject and its answers, such as `gold.monthly is lapsed (expired), was entitled (active)`.
    public var description: String {
        notification.map { "\($0.kind.rawValue) (\($0.name))" } ?? "\(subject) is \(after), was \(before)"
    }
}

extension StoreEvent.Subject: CustomStringConvertible {
    /// The id of a product; for a feature or group, the kind and the id.
    public var description: String {
        switch self {
        case .product(let id): id.rawValue
        case .feature(let id): "feature \(id)"
        case .group(let id): "group \(id)"
        case .notification(let kind): kind.rawValue
        }
    }
}

extension StoreEvent.Answer: CustomStringConvertible {
    /// The answer and its reason, such as `entitled (active)`.
    public var description: String { "\(word) (\(reasonWord))" }
}

extension StoreEvent.Answer: JSONDescribed, Decodable {
    /// The short form of an answer, as a JSON object.
    package var json: JSONText { .object(members) }

    /// The members of the JSON object.
    package var members: [String: JSONText] {
        [
            "answer": .string(word), "reason": .string(reasonWord), "productID": .text(productID),
            "transactionID": .text(transactionID?.rawValue), "until": .time(until),
        ]
    }

    private enum Member: String, CodingKey { case answer, reason, productID, transactionID, until }

    /// Decodes the value from the JSON that `encode(to:)` writes.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Member.self)
        self.init(
            word: try members.decode(String.self, forKey: .answer),
            reason: try members.decode(String.self, forKey: .reason),
            productID: try members.decodeIfPresent(Product.ID.self, forKey: .productID),
            transactionID: try members.decodeIfPresent(Transaction.ID.self, forKey: .transactionID),
            until: try members.decodeIfPresent(Instant.self, forKey: .until))
    }
}

extension StoreEvent.Subject: JSONDescribed, Decodable {
    /// The kind and the id of the subject, as a JSON object.
    package var json: JSONText {
        switch self {
        case .product(let id): .object(["product": .text(id)])
        case .feature(let id): .object(["feature": .text(id)])
        case .group(let id): .object(["group": .text(id)])
        case .notification(let kind): .object(["notification": .string(kind.rawValue)])
        }
    }

    private enum Member: String, CodingKey { case product, feature, group, notification }

    /// Decodes the value from the JSON that `encode(to:)` writes.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Member.self)
        if let id = try members.decodeIfPresent(Product.ID.self, forKey: .product) {
            self = .product(id)
        } else if let id = try members.decodeIfPresent(Feature.ID.self, forKey: .feature) {
            self = .feature(id)
        } else if let word = try members.decodeIfPresent(String.self, forKey: .notification) {
            guard let kind = StoreEvent.Notification.Kind(rawValue: word) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .notification, in: members, debugDescription: "the kind '\(word)' is unknown")
            }
            self = .notification(kind)
        } else {
            self = .group(try members.decode(SubscriptionGroup.ID.self, forKey: .group))
        }
    }
}

extension StoreEvent.Change: JSONDescribed, Decodable {
    /// The change as a JSON object.
    package var json: JSONText { .object(members) }

    fileprivate var members: [String: JSONText] {
        ["at": .time(at), "subject": subject.json, "before": before.json, "after": after.json]
    }

    private enum Member: String, CodingKey { case at, subject, before, after }

    /// Decodes the value from the JSON that `encode(to:)` writes.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Member.self)
        self.init(
            at: try members.decode(Instant.self, forKey: .at),
            subject: try members.decode(StoreEvent.Subject.self, forKey: .subject),
            before: try members.decode(StoreEvent.Answer.self, forKey: .before),
            after: try members.decode(StoreEvent.Answer.self, forKey: .after))
    }
}

extension StoreEvent: JSONDescribed, Decodable {
    /// The change or notification as a JSON object, with the customer and the sequence number.
    package var json: JSONText {
        var members = notification?.members ?? change.members
        members["at"] = .time(change.at)
        members["sequence"] = .integer(place.number)
        if customer != .nobody { members["customer"] = .string(customer.rawValue) }
        return .object(members)
    }

    private enum Member: String, CodingKey { case at, sequence, customer }

    /// Decodes the value from the JSON that `encode(to:)` writes.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Member.self)
        self.init(
            place: FeedPlace(try members.decode(Int64.self, forKey: .sequence)),
            customer: CustomerID(rawValue: try members.decodeIfPresent(String.self, forKey: .customer) ?? ""),
            change: try Notification(from: decoder).map { notification in
                Change(notification, at: try members.decode(Instant.self, forKey: .at))
            } ?? Change(from: decoder))
    }
}
