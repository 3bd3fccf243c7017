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
