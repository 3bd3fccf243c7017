extension StoreEvent.Answer: JSONDescribed, JSONShaped, Decodable {
    /// The short form of an answer, as a JSON object.
    package static let shape = JSONShape<StoreEvent.Answer>(
        "EventAnswer",
        [
            .member("answer", "An AnswerWord; for a group, its state.") { $0.word },
            .member("reason") { $0.reasonWord }, .member("productID") { $0.productID },
            .member("transactionID") { $0.transactionID }, .member("until") { $0.until },
        ])

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

extension StoreEvent.Subject: JSONDescribed, JSONShaped, Decodable {
    /// The id of the subject, as a member that names its kind.
    package static let shape = JSONShape<StoreEvent.Subject>(
        "EventSubject", note: "Exactly one member is present.",
        [
            .member("product") { subject -> Product.ID? in if case .product(let id) = subject { id } else { nil } },
            .member("feature") { subject -> Feature.ID? in if case .feature(let id) = subject { id } else { nil } },
            .member("group") { subject -> SubscriptionGroup.ID? in
                if case .group(let id) = subject { id } else { nil }
            },
        ])

    /// The kind and the id of the subject, as a JSON object; only a vault has the subject of a notification.
    package var json: JSONText {
        guard case .notification(let kind) = self else { return Self.shape.json(self) }
        return .object(["notification": .string(kind.rawValue)])
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

extension StoreEvent.Change: JSONDescribed, JSONShaped, Decodable {
    /// The change as a JSON object.
    package static let shape = JSONShape<StoreEvent.Change>([
        .member("at") { $0.at }, .member("subject") { $0.subject }, .member("before") { $0.before },
        .member("after") { $0.after },
    ])

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

extension StoreEvent: JSONDescribed, JSONTyped, Decodable {
    package static var jsonSchema: JSONSchema {
        JSONSchema.one(of: [changeShape.schema, NotificationEvent.jsonSchema])
            .noted("The data of a server-sent event.").named("Event")
    }

    /// The change or notification as a JSON object, with the customer and the sequence number.
    package var json: JSONText {
        notification.map { NotificationEvent(event: self, notification: $0).json } ?? Self.changeShape.json(self)
    }

    private static let changeShape = JSONShape<StoreEvent>(
        "ChangeEvent", note: "A change of an answer.", with: Change.shape.members { $0.change },
        [
            .member("sequence") { $0.place.number },
            .member("customer", isRequired: true) { $0.namedCustomer },
        ])

    private struct NotificationEvent: JSONShaped {
        let event: StoreEvent
        let notification: Notification

        static let shape = JSONShape<Self>(
            "NotificationEvent",
            note: "A notification of the App Store about which your server must do something itself.",
            with: Notification.shape.members { $0.notification },
            [
                .member("at") { $0.event.change.at }, .member("sequence") { $0.event.place.number },
                .member("customer", "Absent if the notification names no customer.") { $0.event.namedCustomer },
            ])
    }

    private var namedCustomer: String? { customer == .nobody ? nil : customer.rawValue }

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
