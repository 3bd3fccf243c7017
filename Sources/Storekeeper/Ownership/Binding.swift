public import FoundationEssentials

/// A chain or token, which at most one customer of a vault can own.
public enum BindingSubject: Hashable, Sendable {
    /// A chain of purchases.
    case chain(ChainID)
    /// An `appAccountToken` of purchases.
    case token(UUID)

    /// The id of the chain's original transaction, or the token in lower case.
    package var name: String {
        switch self {
        case .chain(let chain): chain.originalID.rawValue
        case .token(let token): token.uuidString.lowercased()
        }
    }
}

/// Evidence that was presented for one customer and belongs to another.
///
/// A conflict never moves ownership; the app must resolve the conflict, for example with
/// ``Store/transfer(_:because:recordedBy:)``.
public struct BindingConflict: Hashable, Sendable {
    /// The id of the original transaction of the evidence's chain.
    public let originalTransactionID: Transaction.ID
    /// The chain or token that belongs to another customer: the chain of the evidence, or the token of this chain.
    package let subject: BindingSubject
    /// The owner of the chain or token.
    public let holder: CustomerID
    /// The customer for whom the evidence was presented.
    public let claimant: CustomerID
    /// The number of times that customers other than the owner have presented the evidence, including this time.
    ///
    /// A growing number suggests a subscription that is shared between accounts.
    public let attempts: Int

    /// Creates a conflict.
    package init(
        originalTransactionID: Transaction.ID, subject: BindingSubject, holder: CustomerID, claimant: CustomerID,
        attempts: Int
    ) {
        self.originalTransactionID = originalTransactionID
        self.subject = subject
        self.holder = holder
        self.claimant = claimant
        self.attempts = attempts
    }

    /// The conflict as `storekeeper vault import` prints it.
    package var json: JSONText {
        .object([
            "originalTransactionID": .string(originalTransactionID.rawValue), "customer": .string(holder.rawValue),
        ])
    }
}

/// A chain or token with the customer who owns it.
public struct Binding: Hashable, Sendable {
    /// The position of the binding in the vault's feed.
    package let place: FeedPlace
    /// The chain or token.
    public let subject: BindingSubject
    /// The owner of the chain or token.
    public let customer: CustomerID
    /// The instant of the binding, in UTC.
    public let at: Instant

    /// Creates a binding.
    package init(place: FeedPlace, subject: BindingSubject, customer: CustomerID, at: Instant) {
        self.place = place
        self.subject = subject
        self.customer = customer
        self.at = at
    }
}
