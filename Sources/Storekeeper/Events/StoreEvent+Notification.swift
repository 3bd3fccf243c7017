extension StoreEvent {
    /// A notification of the App Store about which the app's server must do something itself, although no answer
    /// changes.
    ///
    /// - SeeAlso: Apple, "App Store Server Notifications: notificationType".
    public struct Notification: Hashable, Sendable {
        /// What the notification is about; also the type of the event in the stream and of the webhook's message.
        public enum Kind: String, Hashable, Sendable, CaseIterable {
            /// The App Store asks for consumption information about a refund request.
            case consumptionRequest
            /// The App Store has declined a refund request.
            case refundDeclined
            /// The customer is asked for consent to a price increase, or has agreed, or was told of it.
            case priceIncrease
            /// The seats of a group have changed: added, to be reduced at the next renewal, or paid back in part.
            case seatsChanged
            /// The App Store has ended seat claims, whose members must lose access.
            case seatsUnclaimed
            /// A guardian has withdrawn the consent to a child's use of the app.
            case consentRescinded
        }

        /// What the notification is about.
        public let kind: Kind
        /// The type and subtype as the App Store spells them, such as `REFUND/SEATS`.
        public let name: String
        /// The UUID of the notification, in lower case.
        public let uuid: ServerNotification.ID?
        /// The product, if the notification names a transaction.
        public let productID: Product.ID?
        /// The transaction, if the notification names one.
        public let transactionID: Transaction.ID?
        /// The instant until which the App Store waits for an answer, in UTC; only of a consumption request.
        public let due: Instant?
        /// The customer's reason for a refund, the ids of the ended seat claims with blanks between them, or the app
        /// transaction id of the child's download; `nil` if the notification says nothing of the kind.
        public let details: String?

        /// Creates a notification.
        package init(
            _ kind: Kind, name: String, uuid: ServerNotification.ID?, productID: Product.ID? = nil,
            transactionID: Transaction.ID? = nil, due: Instant? = nil, details: String? = nil
        ) {
            self.kind = kind
            self.name = name
            self.uuid = uuid
            self.productID = productID
            self.transactionID = transactionID
            self.due = due
            self.details = details
        }

        /// The ids of the ended seat claims, in lower case; empty unless seats were unclaimed.
        public var seatClaims: [String] {
            guard kind == .seatsUnclaimed, let details else { return [] }
            return details.split(separator: " ").map(String.init)
        }
    }

    /// The notification that the event passes on; `nil` for a change of an answer.
    public var notification: Notification? { change.notification }

    /// The type of the event in the stream and of the webhook's message: `change`, or the kind of a notification.
    public var type: String { notification?.kind.rawValue ?? "change" }

    /// The schema of ``type``.
    package static let typeSchema = JSONSchema.words(["change"] + Notification.Kind.allCases.map(\.rawValue))
        .noted("The name of a server-sent event, and the type of a webhook's message.").named("EventType")
}

extension CustomerID {
    /// The customer of an event about a notification that names no customer.
    public static let nobody = CustomerID(rawValue: "")
}

extension StoreEvent.Change {
    /// Creates the event's content for a notification.
    ///
    /// The content of a notification is stored in the columns of an answer.
    package init(_ notification: StoreEvent.Notification, at instant: Instant) {
        self.init(
            at: instant, subject: .notification(notification.kind),
            before: StoreEvent.Answer(word: "notification", reason: notification.uuid?.rawValue ?? ""),
            after: StoreEvent.Answer(
                word: notification.name, reason: notification.details ?? "", productID: notification.productID,
                transactionID: notification.transactionID, until: notification.due))
    }

    /// The notification that the event passes on; `nil` for a change of an answer.
    package var notification: StoreEvent.Notification? {
        guard case .notification(let kind) = subject else { return nil }
        return StoreEvent.Notification(
            kind, name: after.word,
            uuid: before.reasonWord.isEmpty ? nil : ServerNotification.ID(before.reasonWord),
            productID: after.productID, transactionID: after.transactionID, due: after.until,
            details: after.reasonWord.isEmpty ? nil : after.reasonWord)
    }
}

extension StoreEvent.Notification {
    /// The members of the event's JSON object, besides its place and customer.
    static let shape = JSONShape<StoreEvent.Notification>([
        .member("type", as: StoreEvent.typeSchema) { $0.kind.rawValue },
        .member("notification", "The type and subtype, such as REFUND/SEATS.") { $0.name },
        .member("uuid") { $0.uuid }, .member("productID") { $0.productID },
        .member("transactionID") { $0.transactionID }, .member("due") { $0.due },
        .member("reason", "The reason of a consumption request.") {
            $0.kind == .consumptionRequest ? $0.details : nil
        },
        .member("seatClaims", "The ids of the ended seat claims.") {
            $0.kind == .seatsUnclaimed ? $0.seatClaims : nil
        },
        .member("appTransactionID", "The download of the child whose guardian withdrew.") {
            $0.kind == .consentRescinded ? $0.details : nil
        },
    ])

    private enum Member: String, CodingKey {
        case type, notification, uuid, productID, transactionID, due, reason, seatClaims, appTransactionID
    }

    /// Decodes a notification from the JSON of an event; `nil` for the JSON of a change of an answer.
    init?(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Member.self)
        guard let word = try members.decodeIfPresent(String.self, forKey: .type) else { return nil }
        guard let kind = Kind(rawValue: word) else {
            throw DecodingError.dataCorruptedError(
                forKey: .type, in: members, debugDescription: "the type '\(word)' is unknown")
        }
        let claims = try members.decodeIfPresent([String].self, forKey: .seatClaims)?.joined(separator: " ")
        self.init(
            kind, name: try members.decode(String.self, forKey: .notification),
            uuid: try members.decodeIfPresent(String.self, forKey: .uuid).map { ServerNotification.ID($0) },
            productID: try members.decodeIfPresent(Product.ID.self, forKey: .productID),
            transactionID: try members.decodeIfPresent(Transaction.ID.self, forKey: .transactionID),
            due: try members.decodeIfPresent(Instant.self, forKey: .due),
            details: try claims ?? members.decodeIfPresent(String.self, forKey: .reason)
                ?? members.decodeIfPresent(String.self, forKey: .appTransactionID))
    }
}

extension Store {
    /// Records a notification as an event of the customer, once.
    package func note(
        _ notification: StoreEvent.Notification, ofNotifications uuids: [ServerNotification.ID]
    ) async throws(VaultError) {
        let change = StoreEvent.Change(notification, at: parts.clock.now)
        _ = try await serially { () async throws(VaultError) in
            try await write(StepInput(notifications: uuids, notices: [change]))
        }
    }
}

extension StorePool {
    /// Records a notification as an event of its customer, once; `nil` for a notification that names no customer.
    package nonisolated func note(
        _ notification: StoreEvent.Notification, about customer: CustomerID?,
        ofNotifications uuids: [ServerNotification.ID]
    ) async throws(VaultError) {
        try await using(customer ?? .nobody) { store throws(VaultError) in
            try await store.note(notification, ofNotifications: uuids)
        }
    }
}
