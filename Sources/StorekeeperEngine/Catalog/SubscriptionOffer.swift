public import FoundationEssentials

/// A price other than the regular one, for a time.
///
/// - SeeAlso: Apple, "StoreKit: Product.SubscriptionOffer".
public struct SubscriptionOffer: Hashable, Sendable {
    /// The id of an offer; of an offer code its reference name.
    public typealias ID = ByteIdentifier<SubscriptionOffer>

    /// Whom the offer is for.
    public enum Kind: String, Sendable { case introductory, promotional, code, winBack }

    /// How the offer is paid.
    public enum PaymentMode: String, Sendable, CaseIterable { case freeTrial, payAsYouGo, payUpFront, oneTime }

    /// Which customers a code may be redeemed by, by their past in the subscription group.
    public enum CustomerEligibility: String, Sendable, CaseIterable {
        /// Those who never subscribed.
        case new
        /// Those who subscribe now.
        case existing
        /// Those who subscribed once.
        case expired

        /// The word the command line prints.
        package var word: String { self == .expired ? "lapsed" : rawValue }

        /// Those whom a word means, whatever its case and punctuation: ours or Xcode's.
        init?(word: String) {
            switch FoldedMembers.folded(word) {
            case "new": self = .new
            case "existing": self = .existing
            case "expired", "lapsed": self = .expired
            default: return nil
            }
        }
    }

    /// Whom the offer is for.
    public var kind: Kind
    /// Its id; of an offer code its reference name.
    ///
    /// Introductory offers have none.
    public var id: ID?
    /// How it is paid; `nil` where the file's word is not known.
    public var paymentMode: PaymentMode?
    /// How long one period of the offer is.
    public var period: SubscriptionPeriod?
    /// How many periods it lasts, at least 1.
    public var periodCount: Int
    /// The price of a period in units of the currency; 0 for a free trial.
    public var price: Decimal?
    /// Which way of billing it belongs to; `nil` where the file does not say.
    public var billingPlanType: BillingPlanType?
    /// Which customers may redeem an offer code; empty where the file does not say.
    public var eligibility: Set<CustomerEligibility>
    /// Whether an offer code comes after the introductory offer, not instead of it.
    public var isStackable: Bool
    /// The switch of a win-back offer in a testing file: whether the customer may have it; `nil` where the file does
    /// not say.
    public var isEligible: Bool?

    /// Makes an offer.
    public init(
        kind: Kind, id: ID? = nil, paymentMode: PaymentMode? = nil, period: SubscriptionPeriod? = nil,
        periodCount: Int = 1, price: Decimal? = nil, billingPlanType: BillingPlanType? = nil,
        eligibility: Set<CustomerEligibility> = [], isStackable: Bool = false, isEligible: Bool? = nil
    ) {
        self.kind = kind
        self.id = id
        self.paymentMode = paymentMode
        self.period = period
        self.periodCount = periodCount
        self.price = price
        self.billingPlanType = billingPlanType
        self.eligibility = eligibility
        self.isStackable = isStackable
        self.isEligible = isEligible
    }
}
