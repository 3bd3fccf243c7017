public import Storekeeper

extension ScenarioRunner {
    /// Returns the id of the transaction to which a step has given a name.
    public func id(named name: String) -> Transaction.ID? { names[name] }

    /// Returns the reference, with the name of a purchase replaced by the id of the transaction.
    func resolved(_ reference: TransactionReference) -> TransactionReference {
        guard case .id(let id) = reference, let named = names[id.rawValue] else { return reference }
        return .id(named)
    }

    /// Returns the id of the referenced transaction.
    func id(of reference: TransactionReference, app: String?) throws -> Transaction.ID {
        try store.transactionID(of: reference, app: app)
    }
}
