/// What a chain has of one subscription group: mostly all of it.
struct LineOfService: Sendable {
    let id: PurchaseChain.ID
    var chain: SubscriptionChain
    /// What its records say of groups.
    var listed: GroupMembers.Listed
    /// How many of its products are put to the evidence.
    var trackCount = 0
}
