/// Whether a customer may have an offer, and why.
public enum OfferAnswer: Hashable, Sendable {
    /// The App Store gives the customer the offer.
    case eligible(EligibleReason)
    /// The App Store refuses the customer the offer.
    case ineligible(IneligibleReason)
    /// It cannot be told.
    case unknown(UnknownReason)

    /// The past of a customer who may have an offer.
    public enum EligibleReason: String, Hashable, Sendable, CaseIterable {
        /// The customer never subscribed in the group, or the offer is not one of a subscription.
        case newCustomer
        /// The customer subscribes now, or the App Store still tries to bill.
        case currentSubscriber
        /// The customer subscribed once.
        case formerSubscriber
    }

    /// Why a customer may not have an offer.
    public enum IneligibleReason: String, Hashable, Sendable, CaseIterable {
        /// The customer has had the group's introductory offer, or has redeemed the code.
        case alreadyUsed
        /// A subscription of the group gives service now.
        case subscribed
        /// The customer never subscribed in the group.
        case neverSubscribed
        /// The offer is meant for customers with another past.
        case otherCustomers
        /// The product has a lower service level than the one that the customer has.
        case downgrade
        /// The App Store still tries to bill.
        case billingRetry
        /// The last purchase was refunded or withdrawn.
        case revoked
        /// The subscription is to renew.
        case autoRenews
        /// The customer never paid for the subscription.
        case neverPaid
        /// The customer last had another product.
        case otherProduct
        /// The testing file switches the offer off.
        case switchedOff
        /// The App Store's renewal info does not name the offer.
        case notNamed
    }

    /// Why it cannot be told.
    public enum UnknownReason: String, Hashable, Sendable, CaseIterable {
        /// The customer's history was never read in full, so that a use may be missing.
        case neverSynced
        /// Evidence about the group failed verification.
        case unverified
        /// No renewal info was signed since the subscription expired.
        case staleRenewalInfo
    }

    /// Whether the customer may have the offer.
    public var isEligible: Bool { if case .eligible = self { true } else { false } }

    /// The word the command line prints.
    package var word: String {
        switch self {
        case .eligible: "eligible"
        case .ineligible: "ineligible"
        case .unknown: "unknown"
        }
    }

    /// The reason in the word that the command line prints.
    package var reasonWord: String {
        switch self {
        case .eligible(let reason): reason.rawValue
        case .ineligible(let reason): reason.rawValue
        case .unknown(let reason): reason.rawValue
        }
    }
}
