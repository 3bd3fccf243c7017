/// The identity that a renewal info names instead of a chain's, because it names no app.
package struct RenewalInfoKey: Hashable, Sendable {
    package let environment: AppStore.Environment
    package let originalID: Transaction.ID

    /// Makes a key from its parts.
    package init(environment: AppStore.Environment, originalID: Transaction.ID) {
        self.environment = environment
        self.originalID = originalID
    }

    /// Makes the key of a chain's renewal info.
    package init(_ chain: ChainID) { (environment, originalID) = (chain.environment, chain.originalID) }
    /// Makes the key of a renewal info.
    package init(_ info: RenewalInfo) { (environment, originalID) = (info.environment, info.originalTransactionID) }
}
