import FoundationEssentials

/// What the tokens that purchases carry as `appAccountToken` say of whose the purchases are.
///
/// A vault has one such rule, and whoever asks it whose something is gets answers by it. Whatever the rule, a token that
/// was claimed for a customer is theirs.
public enum AccountTokenRule: String, Hashable, Sendable, CaseIterable {
    /// A token is that of the customer whose id is that UUID, in any case, whether anybody has heard of them or not.
    ///
    /// Where the customers' ids are no UUIDs, the first evidence that is taken in for one of them gives the customer the
    /// tokens that it carries and that nobody has.
    case asIDs
    /// A token says nothing until it was given to a customer, by a claim or by the first evidence that was taken in for
    /// one of them.
    case opaque

    /// The customer whose token it is although nobody was given it.
    func customer(namedBy token: UUID) -> CustomerID? {
        switch self {
        case .asIDs: CustomerID(rawValue: token.uuidString)
        case .opaque: nil
        }
    }
}
