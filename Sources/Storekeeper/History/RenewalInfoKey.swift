/// What a renewal info names instead of a chain: it tells no app.
struct RenewalInfoKey: Hashable, Sendable {
    let environment: AppStore.Environment
    let originalID: Transaction.ID

    init(_ chain: ChainID) { (environment, originalID) = (chain.environment, chain.originalID) }
    init(_ info: RenewalInfo) { (environment, originalID) = (info.environment, info.originalTransactionID) }
}
