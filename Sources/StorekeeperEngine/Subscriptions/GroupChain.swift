/// The answers of one line of service: of the transactions of a chain that belong to one subscription group, which are
/// usually all.
struct GroupChain: Sendable {
    let id: PurchaseChain.ID
    let chain: SubscriptionChain
}
