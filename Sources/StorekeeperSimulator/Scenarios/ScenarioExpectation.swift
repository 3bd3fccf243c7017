package import Storekeeper

/// An expectation about the engine or the App Store.
package enum ScenarioExpectation: Hashable, Sendable {
    /// The keywords with which an expectation about the engine can begin.
    package static let words = [
        "entitled", "pending", "lapsed", "never", "unknown", "balance", "highest", "state", "offer",
    ]

    /// An answer about a product or feature.
    case answer(Answer)
    /// An answer of an engine that has the app receipt, but not the signed transactions.
    case receipt(Answer)
    /// An answer about an offer.
    case offer(Offer)
    /// The product with the highest service in a group; `nil` if no product of the group was ever bought.
    case highest(group: String, product: Product.ID?, person: CustomerID)
    /// The state of a product's subscription, or of the subscription with the highest service in a group.
    case state(subject: String, state: RenewalState, person: CustomerID)
    /// The amount of a balance.
    case balance(Balance.ID, amount: Int64, person: CustomerID)
    /// The notifications of a person, or of all people, since the last expectation of notifications.
    case notifications([String], person: CustomerID?)
    /// The happenings of a person, or of all people, since the last expectation of happenings.
    case happened([String], person: CustomerID?)
    /// The events of a person's engine since the last expectation of events.
    case events([String], person: CustomerID)
    /// The expected members of the most recently signed document.
    case signed(Signed)

    /// An answer about a product or feature.
    package struct Answer: Hashable, Sendable {
        /// The product or feature.
        package var subject: String
        /// The expected answer: `entitled`, `pending`, `lapsed`, `never` or `unknown`.
        package var word: String
        /// The reason; `nil` for any reason.
        package var reason: String?
        /// The end of the answer; `nil` for any end.
        package var until: Instant?
        /// Whether the answer must have no end.
        package var isEndless: Bool
        /// The person.
        package var person: CustomerID

        /// Creates an expectation.
        package init(
            subject: String, word: String, reason: String? = nil, until: Instant? = nil, isEndless: Bool = false,
            person: CustomerID
        ) {
            self.subject = subject
            self.word = word
            self.reason = reason
            self.until = until
            self.isEndless = isEndless
            self.person = person
        }
    }

    /// An answer about an offer of a product.
    package struct Offer: Hashable, Sendable {
        /// The product.
        package var product: Product.ID
        /// The offer.
        package var offer: OfferReference
        /// The expected answer: `eligible`, `ineligible` or `unknown`.
        package var word: String
        /// The reason; `nil` for any reason.
        package var reason: String?
        /// The end of the answer; `nil` for any end.
        package var until: Instant?
        /// Whether the answer must have no end.
        package var isEndless: Bool
        /// The person.
        package var person: CustomerID
    }
}
