/// The purchase that evidence other than a transaction is about: an environment and an original transaction.
///
/// Unlike a ``ChainID`` this key has no app, because a renewal info does not name its app.
package struct RenewalInfoKey: Hashable, Sendable {
    package let environment: AppStore.Environment
    package let originalID: Transaction.ID

    /// Creates a key from its parts.
    package init(environment: AppStore.Environment, originalID: Transaction.ID) {
        self.environment = environment
        self.originalID = originalID
    }

    /// Creates the key of a chain's renewal infos.
    package init(_ chain: ChainID) { (environment, originalID) = (chain.environment, chain.originalID) }
    /// Creates the key of a renewal info.
    package init(_ info: RenewalInfo) { (environment, originalID) = (info.environment, info.originalTransactionID) }
}
