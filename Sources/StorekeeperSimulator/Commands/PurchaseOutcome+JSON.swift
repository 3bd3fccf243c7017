package import Storekeeper

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
