/// The effect that a refund of already spent units has on a balance.
public enum RefundPolicy: String, Hashable, Codable, Sendable, CaseIterable {
    /// The whole amount is taken back; the balance may fall below zero, and cannot be spent until it is positive.
    case debt
    /// The remaining balance is taken back, and the rest of the refunded amount is forgiven.
    case floorAtZero
    /// Same as ``debt``; in addition, while any balance of a customer is below zero, none of the customer's balances
    /// can be spent.
    case freeze
}
