/// An answer about a customer that changed.
///
/// Events are written once, in the same step as what causes them: evidence, or the passing of time.
public struct StoreEvent: Hashable, Sendable {
    /// What the answer is about.
    public enum Subject: Hashable, Sendable {
        /// A product.
        case product(Product.ID)
        /// A feature.
        case feature(Feature.ID)
        /// The highest status of a subscription group.
        case group(SubscriptionGroup.ID)
    }

    /// An answer in short, as it is written down.
    public struct Answer: Hashable, Sendable {
        /// `entitled`, `pending`, `lapsed`, `never` or `unknown`; of a group its state.
        package let word: String
        /// The reason, in the words of ``EntitlementAnswer``; of a group `entitled` or `notEntitled`.
        package let reasonWord: String
        /// The product that decides; of a product itself.
        public let productID: Product.ID?
        /// The transaction that decides.
        public let transactionID: Transaction.ID?
        /// When the answer ends with what is known, exclusive; `nil` where it has no end, in UTC.
        public let until: Instant?

        /// Makes an answer of its words.
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

    /// What is known of a change before it is written down.
    public struct Draft: Hashable, Sendable {
        /// When the answer changed: the instant the evidence was learned, or of a lapse the exact end, in UTC.
        public let at: Instant
        /// What the answer is about.
        public let subject: Subject
        /// The answer until then.
        public let before: Answer
        /// The answer from then on.
        public let after: Answer

        /// Makes a draft.
        package init(at: Instant, subject: Subject, before: Answer, after: Answer) {
            self.at = at
            self.subject = subject
            self.before = before
            self.after = after
        }
    }

    /// Where it stands in the vault's feed.
    ///
    /// To be kept by whoever reads on.
    public let place: FeedPlace
    /// About whom it is.
    public let customer: CustomerID
    /// What changed.
    public let change: Draft

    /// Makes an event.
    package init(place: FeedPlace, customer: CustomerID, change: Draft) {
        self.place = place
        self.customer = customer
        self.change = change
    }
}

extension StoreEvent.Answer {
    /// Which answer it is; `nil` of a group in which something was bought.
    public var kind: EntitlementAnswer.Kind? { EntitlementAnswer.Kind(rawValue: word) }
    /// Why it is so; `nil` of a group.
    public var reason: EntitlementAnswer.Reason? { EntitlementAnswer.Reason(rawValue: reasonWord) }
    /// Where the highest status of a group stands; `nil` of a product, of a feature, and of a group without any.
    public var state: RenewalState? { RenewalState(rawValue: word) }
    /// Whether it gives access.
    public var isEntitled: Bool { word == entitled || reasonWord == entitled }

    private var entitled: String { EntitlementAnswer.Kind.entitled.rawValue }
}

extension StoreEvent: CustomStringConvertible {
    /// Who, what, and how it changed, such as `anna: gold.monthly is lapsed (expired), was entitled (active)`.
    public var description: String { "\(customer): \(change)" }
}

extension StoreEvent.Draft: CustomStringConvertible {
    /// What changed and how, such as `gold.monthly is lapsed (expired), was entitled (active)`.
    public var description: String { "\(subject) is \(after), was \(before)" }
}

extension StoreEvent.Subject: CustomStringConvertible {
    /// The id of the product, or what sort of thing it is and its id.
    public var description: String {
        switch self {
        case .product(let id): id.rawValue
        case .feature(let id): "feature \(id)"
        case .group(let id): "group \(id)"
        }
    }
}

extension StoreEvent.Answer: CustomStringConvertible {
    /// The answer and its reason, such as `entitled (active)`.
    public var description: String { "\(word) (\(reasonWord))" }
}
