public import FoundationEssentials

/// A way to pay for a subscription: a whole period at once, or monthly with a commitment.
///
/// - SeeAlso: Apple, "App Store Server API: billingPlanType".
public struct BillingPlan: Hashable, Sendable {
    /// Which way it is.
    public var type: BillingPlanType
    /// What is paid each time, in units of the currency.
    public var price: Decimal?
    /// What is paid in all until the commitment ends, in units of the currency.
    public var commitmentPrice: Decimal?
    /// Whether customers may choose it.
    public var isEnabled: Bool

    /// Makes a plan.
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
    /// The word the command line prints; for a way this version does not know, the file's own.
    package var word: String {
        switch self {
        case .billedUpfront: "upFront"
        case .monthly: "monthly"
        default: rawValue
        }
    }

    /// The way that a word means: the App Store's, or ours in any case and punctuation.
    init(word: String) {
        switch FoldedMembers.folded(word) {
        case "upfront", "billedupfront": self = .billedUpfront
        case "monthly": self = .monthly
        default: self.init(rawValue: word)
        }
    }
}
