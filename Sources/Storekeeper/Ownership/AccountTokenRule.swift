package import FoundationEssentials

/// The rule by which the `appAccountToken` of a purchase determines the owner of the purchase.
///
/// A vault has one rule, which it applies to all questions of ownership. With either rule, a token that was claimed for
/// a customer belongs to that customer.
public enum AccountTokenRule: String, Hashable, Sendable, CaseIterable {
    /// A token belongs to the customer whose id is the same UUID, in upper or lower case, even if the vault has no data
    /// of that customer.
    ///
    /// If a customer's id is not a UUID, the first evidence committed for the customer binds the tokens that it
    /// contains to the customer, except for tokens that have an owner.
    case asIDs
    /// A token has no owner until it is bound by a claim, or by the first evidence that is committed for a customer.
    case opaque

    /// Returns the owner of a token that has no binding; `nil` if this rule requires a binding.
    func customer(namedBy token: UUID) -> CustomerID? {
        switch self {
        case .asIDs: CustomerID(rawValue: token.uuidString)
        case .opaque: nil
        }
    }

    /// Returns the token that belongs to a customer even without a binding; `nil` if no such token exists.
    package func token(naming customer: CustomerID) -> UUID? {
        switch self {
        case .asIDs: customer.uuid
        case .opaque: nil
        }
    }
}
