/// The answers of a chain of subscriptions, and what an update must know of the transactions from which they follow.
struct ResolvedChain: Sendable {
    /// The answers of the chain's lines of service: one line for each group, usually one.
    var lines: [SubscriptionChain]
    /// Whether another chain names this chain as the previous one.
    let isReplaced: Bool
    /// The products in the transactions, with the groups that the transactions name.
    private let subscriptions: Set<PurchaseChain.Subscription>
    /// The app transaction ids in the transactions, by which the renewal infos were chosen.
    private let downloads: PurchaseChain.Downloads

    init(_ chain: PurchaseChain, isReplaced: Bool, lines: [SubscriptionChain]) {
        (self.lines, self.isReplaced) = (lines, isReplaced)
        (subscriptions, downloads) = (chain.subscriptions, chain.downloads)
    }

    /// Returns whether a later version of the chain has the same products, groups and app transaction ids.
    func isOfSameProducts(as chain: PurchaseChain) -> Bool {
        subscriptions == chain.subscriptions && downloads == chain.downloads
    }
}
