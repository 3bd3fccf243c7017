public import FoundationEssentials

/// An offer of a product at a price other than the regular price, for a limited time.
///
/// - SeeAlso: Apple, "StoreKit: Product.SubscriptionOffer".
public struct SubscriptionOffer: Hashable, Sendable {
    /// The id of an offer; for an offer code, the reference name of the offer.
    public typealias ID = ByteIdentifier<SubscriptionOffer>

    /// The kind of offer.
    public enum Kind: String, Sendable, CaseIterable { case introductory, promotional, code, winBack }

    /// The way in which the offer is paid.
    public enum PaymentMode: String, Sendable, CaseIterable { case freeTrial, payAsYouGo, payUpFront, oneTime }

    /// A kind of customers who may redeem an offer code, by their history in the subscription group.
    public enum CustomerEligibility: String, Sendable, CaseIterable {
        /// Customers who never subscribed.
        case new
        /// Current subscribers.
        case existing
        /// Former subscribers.
        case expired

        /// The text that the command line prints.
        package var word: String { self == .expired ? "lapsed" : rawValue }

        /// Creates a value from a name that this package or Xcode uses; case and punctuation do not matter.
        init?(word: String) {
            switch NormalizedMembers.folded(word) {
            case "new": self = .new
            case "existing": self = .existing
            case "expired", "lapsed": self = .expired
            default: return nil
            }
        }
    }

    /// The kind of offer.
    public var kind: Kind
    /// The id of the offer; for an offer code, the reference name of the offer.
    ///
    /// Introductory offers have no id.
    public var id: ID?
    /// The way of payment; `nil` if the file contains an unknown payment mode.
    public var paymentMode: PaymentMode?
    /// The length of one period of the offer.
    public var period: SubscriptionPeriod?
    /// The number of periods, at least 1.
    public var periodCount: Int
    /// The price of a period in units of the currency; 0 for a free trial.
    public var price: Decimal?
    /// The billing plan that the offer belongs to; `nil` if the file names no billing plan.
    public var billingPlanType: BillingPlanType?
    /// The customers who may redeem an offer code; empty if the file names no customers.
    public var eligibility: Set<CustomerEligibility>
    /// Whether an offer code follows the introductory offer instead of replacing it.
    public var isStackable: Bool
    /// Whether the customer is eligible for a win-back offer according to a StoreKit configuration; `nil` if the file
    /// does not contain this value.
    public var isEligible: Bool?
    /// Members of the catalog files that this version of the package does not know.
    package var unknown = UnknownMembers()

    /// Creates an offer.
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
