/// The units of a purchased consumable that the customer has used, on one balance.
///
/// Units are spent first in, first out.
///
/// - SeeAlso: Apple, "App Store Server API: ConsumptionRequest".
public struct Consumption: Hashable, Sendable, Identifiable {
    /// The name of the balance.
    public let id: Balance.ID
    /// The units that the purchase added to the balance.
    public let credited: Int64
    /// The units of the purchase that were spent.
    public let used: Int64
    /// The units of the purchase that refunds have taken back.
    public let takenBack: Int64

    /// Creates a consumption.
    package init(id: Balance.ID, credited: Int64, used: Int64, takenBack: Int64) {
        self.id = id
        self.credited = credited
        self.used = used
        self.takenBack = takenBack
    }

    /// The spent share of the credited units, in thousandths of a percent, from 0 to 100000, rounded down.
    public var share: Int64 {
        guard credited > 0 else { return 0 }
        return credited.dividingFullWidth(min(used, credited).multipliedFullWidth(by: 100_000)).quotient
    }

    /// Computes the consumption of a purchase.
    ///
    /// - Parameters:
    ///   - key: The transaction.
    ///   - entries: All entries of the customer, in order.
    /// - Returns: One element for each balance to which the purchase added units, sorted by name.
    package static func of(_ key: TransactionKey, in entries: [LedgerEntry]) -> [Consumption] {
        var lots: [Balance.ID: Lots] = [:]
        for entry in entries { lots[entry.balance, default: Lots()].add(entry) }
        return lots.keys.sorted().compactMap { name in
            lots[name]?.lot(of: key).map {
                Consumption(id: name, credited: $0.credited, used: $0.used, takenBack: $0.takenBack)
            }
        }
    }

    /// The lots of a balance, in order; a lot is one credit or grant, with the numbers of its used and taken-back
    /// units.
    private struct Lots {
        struct Lot {
            var key: TransactionKey?
            var credited: Int64
            var used: Int64 = 0
            var takenBack: Int64 = 0
            var left: Int64 { credited - used - takenBack }
        }

        private var lots: [Lot] = []
        private var positions: [TransactionKey: Int] = [:]
        /// The index of the first lot that may have units left.
        private var first = 0
        /// Units that refunds took back although no lot had units left; these units are deducted from later lots.
        private var debt: Int64 = 0

        func lot(of key: TransactionKey) -> Lot? { positions[key].map { lots[$0] } }

        mutating func add(_ entry: LedgerEntry) {
            switch entry.kind {
            case .credit, .grant:
                var key: TransactionKey?
                if case .transaction(let cause, _, _) = entry.cause { key = cause }
                if let key { positions[key] = lots.count }
                lots.append(Lot(key: key, credited: max(entry.change, 0)))
                let due = debt
                debt = 0
                consume(due)
            case .spend: consume(max(0 &- entry.change, 0))
            case .grantAccess, .revokeAccess, .transfer: break
            case .clawBack: clawBack(max(0 &- entry.change, 0), of: entry)
            case .restore: restore(max(entry.change, 0), of: entry)
            }
        }

        private mutating func consume(_ amount: Int64) {
            var rest = amount
            while rest > 0, first < lots.count {
                let part = min(rest, lots[first].left)
                lots[first].used += part
                rest -= part
                if lots[first].left == 0 { first += 1 } else { break }
            }
            debt += rest
        }

        /// Takes back units of a purchase: first the units left in its lot, then units of the lot that were already
        /// spent.
        ///
        /// The units that were already spent are then counted as spent from other lots.
        private mutating func clawBack(_ amount: Int64, of entry: LedgerEntry) {
            guard case .transaction(let key, _, let target) = entry.cause, let position = positions[key] else { return }
            // This entry moves the credit of the purchase to other balances, so the purchase no longer has a lot on
            // this balance.
            if target == LedgerRule.replaced { positions[key] = nil }
            let part = min(amount, lots[position].left)
            lots[position].takenBack += part
            let spent = min(amount - part, lots[position].used)
            lots[position].used -= spent
            lots[position].takenBack += spent
            consume(amount - part)
        }

        private mutating func restore(_ amount: Int64, of entry: LedgerEntry) {
            guard case .transaction(let key, _, _) = entry.cause, let position = positions[key] else { return }
            let part = min(amount, lots[position].takenBack)
            lots[position].takenBack -= part
            first = min(first, position)
            let due = min(debt, part)
            debt -= due
            lots[position].used += due
        }
    }
}
