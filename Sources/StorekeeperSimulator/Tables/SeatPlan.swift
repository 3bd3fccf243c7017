import FoundationEssentials

/// The seats of a subscription.
struct SeatPlan: Sendable {
    /// The number of seats of the period's first transaction, including seats that refunds revoked.
    var quantity: Int32
    /// The transactions that have added seats within the current period.
    var additions: [RowIndex<TransactionState>] = []
    /// The number of seats from the next renewal on.
    var renewalQuantity: Int32
    var invitations: SeatInvitations
    /// The claimed seats, oldest claim first.
    var claims: [Claim] = []

    struct Claim: Sendable {
        let id: UUID
        let request: UUID
        var member: RowIndex<Download>?
    }
}
