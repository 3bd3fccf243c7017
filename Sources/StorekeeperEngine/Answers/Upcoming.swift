public import FoundationEssentials

/// The event that is due next for a product, a feature or a subscription, according to the known evidence.
///
/// If later evidence shows what followed, for example in an answer about an earlier instant, this is that event.
/// Otherwise it follows from the renewal info, as the App Store shows it to the customer.
public struct Upcoming: Hashable, Sendable {
    /// The kinds of event.
    public enum Event: String, Sendable, CaseIterable {
        /// The subscription renews.
        case renewal
        /// The subscription becomes another product, ``Upcoming/productID``.
        case planChange
        /// The product begins, because a subscription of its group changes to it.
        case beginning
        /// The customer must agree to a higher price; without consent the subscription ends.
        case consent
        /// The access ends.
        case end
        /// The period ends, and no evidence says what follows.
        case periodEnd
        /// The payment fails, and a grace period begins.
        case gracePeriod
        /// The payment fails and is tried again.
        case billingRetry
        /// The grace period ends, unless the payment succeeds.
        case gracePeriodEnd
        /// The App Store stops trying to bill, unless the payment succeeds.
        case billingRetryEnd
        /// The purchase is refunded or revoked.
        case revocation
        /// The answer changes for another reason.
        case change
    }

    /// The kind of event.
    public let event: Event
    /// The instant at which the event is due, in UTC.
    public let at: Instant
    /// The product that the event is about; for a renewal or a change of plan, the product that is billed.
    public let productID: Product.ID
    /// The product that the subscription has until then, if it changes.
    public var from: Product.ID?
    /// The price that is due, in milliunits of ``currencyCode``; `nil` if the evidence does not contain it.
    public var priceInMilliunits: Int64?
    /// The ISO 4217 code of the currency.
    public var currencyCode: String?
    /// The offer that applies to the price.
    public var offer: Transaction.Offer?
    /// The reason why the subscription ends, as far as the evidence says.
    public var expirationReason: ExpirationReason?
    /// The answer from ``at`` on if the event happens as it is due; `nil` for the event of a status.
    public var answer: EntitlementAnswer?
    /// The answer from ``at`` on if a renewal that is due does not arrive.
    public var otherwise: EntitlementAnswer?

    init(_ event: Event, at instant: Instant, of productID: Product.ID) {
        (self.event, self.productID) = (event, productID)
        at = instant
    }

    /// The price that is due, in units of the currency.
    public var price: Decimal? { priceInMilliunits.map { Decimal(thousandths: $0) } }

    /// Whether the event is expected, and not known from later evidence.
    public var isRenewal: Bool { event == .renewal || event == .planChange || event == .beginning }

    /// Whether the event ends the access that the purchase gives.
    var endsAccess: Bool {
        switch event {
        case .consent, .end, .periodEnd, .gracePeriodEnd, .billingRetry, .revocation: true
        case .renewal, .planChange, .beginning, .gracePeriod, .billingRetryEnd, .change: false
        }
    }

    /// The event in words, such as `renews at 2026-03-15T00:00:00.000Z for 9.99 USD`.
    public var words: String { phrase { "\($0)" } }

    /// Returns the event in words.
    ///
    /// - Parameter time: Returns an instant in words.
    package func phrase(_ time: (Instant) -> String) -> String {
        let when = time(at)
        switch event {
        case .renewal: return "renews at \(when)\(terms)"
        case .planChange: return "changes to \(productID) at \(when)\(terms)"
        case .beginning:
            return "begins at \(when)\(from.map { ", when \($0) changes to it" } ?? "")\(terms)"
        case .consent:
            let new = priceText.map { " of \($0)" } ?? ""
            return "the customer is asked to agree to a higher price\(new): ends at \(when) without consent"
        case .end: return "ends at \(when)\(reason.map { ": \($0)" } ?? "")"
        case .periodEnd: return "the period ends at \(when), and no evidence says whether it renews"
        case .gracePeriod: return "the payment fails at \(when), and a grace period begins"
        case .billingRetry: return "the payment fails at \(when) and is tried again, without access"
        case .gracePeriodEnd: return "the grace period ends at \(when), unless the payment succeeds"
        case .billingRetryEnd: return "the payment is tried again until \(when); access returns when it succeeds"
        case .revocation: return "is refunded or revoked at \(when)"
        case .change: return answer.map { "becomes \($0) at \(when)" } ?? "changes at \(when)"
        }
    }

    /// The event in two or three words, for a table.
    package var brief: String {
        switch event {
        case .renewal: "renews"
        case .planChange: "renews as \(productID)"
        case .beginning: "begins"
        case .consent: "ends without consent"
        case .end: "ends"
        case .periodEnd: "not known"
        case .gracePeriod: "grace period"
        case .billingRetry: "billing retry"
        case .gracePeriodEnd: "grace ends"
        case .billingRetryEnd: "retry ends"
        case .revocation: "revoked"
        case .change: "changes"
        }
    }

    /// The price with its currency, such as `9.99 USD`; `nil` if the evidence does not contain it.
    package var priceText: String? {
        price.map { price in currencyCode.map { "\(price) \($0)" } ?? "\(price)" }
    }

    /// The price and the offer in words, with a blank in front.
    private var terms: String {
        (priceText.map { " for \($0)" } ?? "") + (offer.map { ", with \($0.words)" } ?? "")
    }

    private var reason: String? {
        switch expirationReason {
        case nil, .unknown?: nil
        case let reason?: reason.words
        }
    }
}

extension ExpirationReason {
    /// The reason in words, such as `auto-renewal is off`.
    package var words: String {
        switch self {
        case .autoRenewDisabled: "auto-renewal is off"
        case .billingError: "the payment failed"
        case .didNotConsentToPriceIncrease: "the customer did not agree to a higher price"
        case .productUnavailable: "the product is no longer sold"
        default: rawValue == 6 ? "the customer left the bundle" : "no reason is known"
        }
    }
}
