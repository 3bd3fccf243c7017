public import FoundationEssentials

/// A way to pay for a subscription: a whole period at once, or monthly with a commitment.
///
/// - SeeAlso: Apple, "App Store Server API: billingPlanType".
public struct BillingPlan: Hashable, Sendable {
    /// The type of the plan.
    public var type: BillingPlanType
    /// The price of each payment, in units of the currency.
    public var price: Decimal?
    /// The sum of all payments until the commitment ends, in units of the currency.
    public var commitmentPrice: Decimal?
    /// Whether customers may choose the plan.
    public var isEnabled: Bool
    /// Members of the catalog files that this version of the package does not know.
    package var unknown = UnknownMembers()

    /// Creates a plan.
    public init(
        type: BillingPlanType, price: Decimal? = nil, commitmentPrice: Decimal? = nil, isEnabled: Bool = true
    ) {
        self.type = type
        self.price = price
        self.commitmentPrice = commitmentPrice
        self.isEnabled = isEnabled
    }
}

extension BillingPlanType {
    /// The text that the command line prints; for an unknown type, the text in the file.
    package var word: String {
        switch self {
        case .billedUpfront: "upFront"
        case .monthly: "monthly"
        default: rawValue
        }
    }

    /// Creates a billing plan type from a name that the App Store or this package uses; case and punctuation do not
    /// matter.
    init(word: String) {
        switch NormalizedMembers.folded(word) {
        case "upfront", "billedupfront": self = .billedUpfront
        case "monthly": self = .monthly
        default: self.init(rawValue: word)
        }
    }
}
