/// What happens to a balance when goods are refunded that were spent already.
public enum RefundPolicy: String, Hashable, Codable, Sendable, CaseIterable {
    /// All of it is taken back; the balance may go below zero, and nothing can be spent from it until it is above.
    case debt
    /// What is left is taken back, the rest is forgiven.
    case floorAtZero
    /// As ``debt``; and while any balance of a customer is below zero, none of theirs can be spent.
    case freeze
}
