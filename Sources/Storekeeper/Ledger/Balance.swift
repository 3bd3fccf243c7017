/// What a customer has of something that is counted, and what moved it.
public struct Balance: Hashable, Sendable, Identifiable {
    /// The name of a balance.
    public typealias ID = BalanceID

    /// The name of the balance.
    public let id: ID
    /// What purchases and grants have added.
    public var credited: Int64
    /// What was spent.
    public var spent: Int64
    /// What refunds have taken back.
    public var clawedBack: Int64
    /// What came back because a refund was reversed.
    public var restored: Int64

    /// What is left; below zero only through refunds.
    public var amount: Int64 { credited &- spent &- clawedBack &+ restored }

    /// Makes a balance.
    package init(id: ID, credited: Int64 = 0, spent: Int64 = 0, clawedBack: Int64 = 0, restored: Int64 = 0) {
        self.id = id
        self.credited = credited
        self.spent = spent
        self.clawedBack = clawedBack
        self.restored = restored
    }

    /// The balance after one more entry.
    ///
    /// - Throws: ``VaultError`` with `overflow` where a sum would be greater than any 64-bit number.
    package func adding(_ kind: LedgerEntry.Kind, _ change: Int64) throws(VaultError) -> Balance {
        var next = self
        let overflow: Bool
        switch kind {
        case .credit, .grant: (next.credited, overflow) = credited.addingReportingOverflow(change)
        case .spend: (next.spent, overflow) = spent.subtractingReportingOverflow(change)
        case .clawBack: (next.clawedBack, overflow) = clawedBack.subtractingReportingOverflow(change)
        case .restore: (next.restored, overflow) = restored.addingReportingOverflow(change)
        }
        let (sum, sumOverflow) = amount.addingReportingOverflow(change)
        // Each sum stays within a quarter of what a number holds, so that no difference of them can overflow.
        let limit = Int64.max / 4
        let isWithin = [next.credited, next.spent, next.clawedBack, next.restored].allSatisfy { 0...limit ~= $0 }
        guard !overflow, !sumOverflow, isWithin, next.amount == sum else {
            throw VaultError(.overflow, "the balance '\(id)' cannot hold another \(change); use smaller quantities")
        }
        return next
    }
}
