/// A customer's balance of one kind of unit, such as coins, with the totals of the entries that changed it.
public struct Balance: Hashable, Sendable, Identifiable {
    /// The name of a balance.
    public typealias ID = BalanceID

    /// The name of the balance.
    public let id: ID
    /// The sum of all credits and grants.
    public var credited: Int64
    /// The sum of all spends.
    public var spent: Int64
    /// The sum of all claw-backs by refunds.
    public var clawedBack: Int64
    /// The sum of all amounts restored because a refund was reversed.
    public var restored: Int64

    /// The current amount; only refunds can make it negative.
    public var amount: Int64 { credited &- spent &- clawedBack &+ restored }

    /// Creates a balance.
    package init(id: ID, credited: Int64 = 0, spent: Int64 = 0, clawedBack: Int64 = 0, restored: Int64 = 0) {
        self.id = id
        self.credited = credited
        self.spent = spent
        self.clawedBack = clawedBack
        self.restored = restored
    }

    /// Returns the balance after one more entry.
    ///
    /// - Throws: ``VaultError`` with `overflow` if a sum would exceed the limit of a balance.
    package func adding(_ kind: LedgerEntry.Kind, _ change: Int64) throws(VaultError) -> Balance {
        var next = self
        let overflow: Bool
        switch kind {
        case .grantAccess, .revokeAccess, .transfer: overflow = change != 0
        case .credit, .grant: (next.credited, overflow) = credited.addingReportingOverflow(change)
        case .spend: (next.spent, overflow) = spent.subtractingReportingOverflow(change)
        case .clawBack: (next.clawedBack, overflow) = clawedBack.subtractingReportingOverflow(change)
        case .restore: (next.restored, overflow) = restored.addingReportingOverflow(change)
        }
        let (sum, sumOverflow) = amount.addingReportingOverflow(change)
        // Each sum stays within a quarter of `Int64.max`, so that no difference of sums can overflow.
        let limit = Int64.max / 4
        let isWithin = [next.credited, next.spent, next.clawedBack, next.restored].allSatisfy { 0...limit ~= $0 }
        guard !overflow, !sumOverflow, isWithin, next.amount == sum else {
            throw VaultError(
                .overflow, "a change of \(change) would overflow the balance '\(id)'; use smaller quantities")
        }
        return next
    }
}
