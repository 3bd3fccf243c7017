public import Storekeeper

/// The result of a purchase.
public enum PurchaseOutcome: Hashable, Sendable {
    /// It was bought; its transaction.
    case purchased(Transaction.ID)
    /// The customer has it already; the transaction that says so.
    case alreadyOwned(Transaction.ID)
    /// Somebody has to approve, or to resolve an issue; the transaction that it will be.
    case pending(EntitlementAnswer.PendingReason, Transaction.ID)
    /// The customer changed their mind.
    case userCancelled
    /// The App Store refused.
    case failed(PurchaseError)

    /// The transaction that it names.
    package var transactionID: Transaction.ID? {
        switch self {
        case .purchased(let id), .alreadyOwned(let id), .pending(_, let id): id
        case .userCancelled, .failed: nil
        }
    }
}
