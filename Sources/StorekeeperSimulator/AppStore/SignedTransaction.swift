package import Storekeeper

/// What was signed last about one purchase: older than the moment, unlike what a server is told.
package struct SignedTransaction: Hashable, Sendable {
    /// The transaction, as compact JWS.
    package let transaction: String
    /// The renewal info of the subscription of which it is the newest transaction, as compact JWS.
    package let renewalInfo: String?
}

extension SimulatedAppStore {
    /// What was signed last about a transaction.
    ///
    /// - Returns: `nil` where there is none of that id, or nothing was bought.
    /// - Throws: What the cryptographic library throws.
    package func lastSigned(_ id: Transaction.ID) throws -> SignedTransaction? {
        try read { world in
            guard let place = world.existingTransaction(id), let latest = world.transactions[place].latest else {
                return nil
            }
            let subscription = world.records[latest].subscription.map { world.subscriptions[$0] }
            let renewal = subscription.flatMap { $0.current == place ? $0.renewalRecord : nil }
            return SignedTransaction(
                transaction: try issuer.transaction(latest, in: world, for: nil),
                renewalInfo: try renewal.map { try issuer.renewalInfo($0, in: world, for: nil) })
        }
    }
}
