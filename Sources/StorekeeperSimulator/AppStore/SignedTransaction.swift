package import Storekeeper

/// The last evidence of a purchase that was signed; a server that requested the evidence now might receive a newer
/// copy.
package struct SignedTransaction: Hashable, Sendable {
    /// The transaction, as compact JWS.
    package let transaction: String
    /// The renewal info, as compact JWS; `nil` if the transaction is not the newest transaction of a subscription.
    package let renewalInfo: String?
}

extension SimulatedAppStore {
    /// Returns the most recently signed evidence of a transaction.
    ///
    /// - Returns: The evidence; `nil` if the id is unknown or belongs to an attempt that bought nothing.
    /// - Throws: Errors of the cryptographic library.
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
