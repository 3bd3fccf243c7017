/// The effect that a refund of already spent units has on a balance.
public enum RefundPolicy: String, Hashable, Codable, Sendable, CaseIterable {
    /// The whole refunded amount is taken back; the balance may become negative, and cannot be spent until it is
    /// positive.
    case debt
    /// The refunded amount is taken back only until the balance is zero; the rest of the amount is forgiven.
    case floorAtZero
    /// The rule of ``debt`` applies; in addition, while any balance of a customer is negative, none of the customer's
    /// balances can be spent.
    case freeze
}
