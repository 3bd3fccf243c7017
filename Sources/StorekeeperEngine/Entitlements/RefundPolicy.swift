/// The effect on a balance of refunding units that were already spent.
public enum RefundPolicy: String, Hashable, Codable, Sendable, CaseIterable {
    /// The whole amount is taken back; the balance may fall below zero, and cannot be spent until it is positive.
    case debt
    /// The remaining balance is taken back, the rest is forgiven.
    case floorAtZero
    /// As ``debt``; and while any balance of a customer is below zero, none of their balances can be spent.
    case freeze
}
