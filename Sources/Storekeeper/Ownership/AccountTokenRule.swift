package import FoundationEssentials

/// How the `appAccountToken` of a purchase determines its owner.
///
/// A vault has one rule, by which it answers all questions of ownership. With either rule, a token that was claimed for
/// a customer belongs to that customer.
public enum AccountTokenRule: String, Hashable, Sendable, CaseIterable {
    /// A token belongs to the customer whose id is the same UUID, in any case, whether or not the vault knows that
    /// customer.
    ///
    /// If customers' ids are not UUIDs, the first evidence committed for a customer binds the unowned tokens that it
    /// carries to the customer.
    case asIDs
    /// A token has no owner until it is bound by a claim, or by the first evidence that is committed for a customer.
    case opaque

    /// Returns the customer that an unbound token belongs to, if the rule says so.
    func customer(namedBy token: UUID) -> CustomerID? {
        switch self {
        case .asIDs: CustomerID(rawValue: token.uuidString)
        case .opaque: nil
        }
    }

    /// Returns the token that belongs to a customer unless it is bound, if the rule says so.
    package func token(naming customer: CustomerID) -> UUID? {
        switch self {
        case .asIDs: customer.uuid
        case .opaque: nil
        }
    }
}
