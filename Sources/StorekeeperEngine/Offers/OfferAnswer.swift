/// Whether a customer may have an offer, and why.
public enum OfferAnswer: Hashable, Sendable {
    /// The App Store lets the customer have the offer.
    case eligible(EligibleReason)
    /// The App Store does not let the customer have the offer.
    case ineligible(IneligibleReason)
    /// It is not known whether the customer may have the offer.
    case unknown(UnknownReason)

    /// The reason why a customer may have an offer.
    public enum EligibleReason: String, Hashable, Sendable, CaseIterable {
        /// The customer never subscribed in the group, or the offer belongs to a one-time product.
        case newCustomer
        /// The customer has a subscription now, or the App Store still tries to bill for one.
        case currentSubscriber
        /// The customer had a subscription in the past.
        case formerSubscriber
    }

    /// The reason why a customer may not have an offer.
    public enum IneligibleReason: String, Hashable, Sendable, CaseIterable {
        /// The customer has had the group's introductory offer, or has redeemed the code.
        case alreadyUsed
        /// A subscription of the group gives service now.
        case subscribed
        /// The customer never subscribed in the group.
        case neverSubscribed
        /// The offer is meant for customers with a different past, for example for new customers.
        case otherCustomers
        /// The product has a lower service level than the product that the customer has.
        case downgrade
        /// The App Store still tries to bill for the last subscription.
        case billingRetry
        /// The last purchase was refunded or withdrawn.
        case revoked
        /// Auto-renewal of the expired subscription is on.
        case autoRenews
        /// The customer never paid for the subscription.
        case neverPaid
        /// The customer's last subscription was to another product.
        case otherProduct
        /// The StoreKit testing file of the catalog switches the offer off.
        case switchedOff
        /// The App Store's renewal info does not list the offer.
        case notNamed
    }

    /// The reason why it is not known whether a customer may have an offer.
    public enum UnknownReason: String, Hashable, Sendable, CaseIterable {
        /// The customer's history was never read in full, so a purchase with the offer may be missing.
        case neverSynced
        /// Evidence about the group failed verification.
        case unverified
        /// No renewal info was signed since the subscription expired.
        case staleRenewalInfo
        /// A subscription may have renewed since its evidence was signed.
        case staleEvidence
    }

    /// Whether the customer may have the offer.
    public var isEligible: Bool { if case .eligible = self { true } else { false } }

    /// The keyword that the command line prints for the answer.
    package var word: String {
        switch self {
        case .eligible: "eligible"
        case .ineligible: "ineligible"
        case .unknown: "unknown"
        }
    }

    /// The keyword that the command line prints for the reason.
    package var reasonWord: String {
        switch self {
        case .eligible(let reason): reason.rawValue
        case .ineligible(let reason): reason.rawValue
        case .unknown(let reason): reason.rawValue
        }
    }
}
