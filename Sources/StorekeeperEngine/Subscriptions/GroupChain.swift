/// The transactions of a chain that belong to one subscription group; usually the whole chain.
struct GroupChain: Sendable {
    let id: PurchaseChain.ID
    var chain: SubscriptionChain
    /// The groups and app transaction ids in the transactions of the chain.
    var listed: GroupMembers.Listed
    /// The number of the chain's products that were added to the evidence of products.
    var trackCount = 0
}
