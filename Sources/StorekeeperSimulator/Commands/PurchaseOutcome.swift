public import Storekeeper

/// The result of a purchase.
public enum PurchaseOutcome: Hashable, Sendable {
    /// The product was bought; the associated value is the id of the transaction.
    case purchased(Transaction.ID)
    /// The customer already owns the product; the associated value is the id of the owned transaction.
    case alreadyOwned(Transaction.ID)
    /// The purchase waits for approval or for an issue to be resolved.
    ///
    /// The associated id is the id that the transaction will have after approval or resolution.
    case pending(EntitlementAnswer.PendingReason, Transaction.ID)
    /// The customer cancelled the purchase.
    case userCancelled
    /// The App Store refused the purchase.
    case failed(PurchaseError)

    /// The id of the transaction in the outcome; `nil` if the outcome has none.
    package var transactionID: Transaction.ID? {
        switch self {
        case .purchased(let id), .alreadyOwned(let id), .pending(_, let id): id
        case .userCancelled, .failed: nil
        }
    }
}

extension PurchaseOutcome {
    /// The result as a JSON document.
    package var document: JSONText {
        var members: [String: JSONText] = ["transactionID": .text(transactionID?.rawValue)]
        switch self {
        case .purchased: members["outcome"] = .string("purchased")
        case .alreadyOwned: members["outcome"] = .string("alreadyOwned")
        case .pending(let reason, _):
            members["outcome"] = .string("pending")
            members["reason"] = .string(reason.rawValue)
        case .userCancelled: members["outcome"] = .string("cancelled")
        case .failed(let error):
            members["outcome"] = .string("failed")
            members["reason"] = .string(error.code.rawValue)
            members["message"] = .string(error.message)
        }
        return .object(members)
    }
}
