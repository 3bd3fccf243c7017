package import Storekeeper

/// An expectation of the engine or the App Store.
package enum ScenarioExpectation: Hashable, Sendable {
    /// The words with which an expectation of the engine can begin.
    package static let words = [
        "entitled", "pending", "lapsed", "never", "unknown", "balance", "highest", "state", "offer",
    ]

    /// An answer about a product or feature.
    case answer(Answer)
    /// An answer that the app receipt gives by itself, without the signed transactions.
    case receipt(Answer)
    /// An answer about an offer.
    case offer(Offer)
    /// The product that gives the highest service of a group; `nil` if none was ever bought.
    case highest(group: String, product: Product.ID?, person: CustomerID)
    /// The state of the subscription of a product, or of the highest of a group.
    case state(subject: String, state: RenewalState, person: CustomerID)
    /// The amount of a balance.
    case balance(Balance.ID, amount: Int64, person: CustomerID)
    /// The notifications since the last such expectation, of a person or of all.
    case notifications([String], person: CustomerID?)
    /// The happenings since the last such expectation, of a person or of all.
    case happened([String], person: CustomerID?)
    /// The engine's events since the last such expectation, of a person.
    case events([String], person: CustomerID)
    /// Members of the most recently signed document.
    case signed(Signed)

    /// An answer about a product or feature.
    package struct Answer: Hashable, Sendable {
        /// The product or feature.
        package var subject: String
        /// `entitled`, `pending`, `lapsed`, `never` or `unknown`.
        package var word: String
        /// The reason; `nil` for any.
        package var reason: String?
        /// When the answer ends; `nil` for any time.
        package var until: Instant?
        /// Whether it must have no end.
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
        /// `eligible`, `ineligible` or `unknown`.
        package var word: String
        /// The reason; `nil` for any.
        package var reason: String?
        /// When the answer ends; `nil` for any time.
        package var until: Instant?
        /// Whether it must have no end.
        package var isEndless: Bool
        /// The person.
        package var person: CustomerID
    }
}
