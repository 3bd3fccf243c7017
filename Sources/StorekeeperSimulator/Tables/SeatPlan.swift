import FoundationEssentials

/// The seats of a subscription.
struct SeatPlan: Sendable {
    var quantity: Int32
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
