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
