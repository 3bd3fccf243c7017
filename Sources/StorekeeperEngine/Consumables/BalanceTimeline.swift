/// The amounts that purchases have credited to a balance, and the amounts that refunds have taken back, over time.
///
/// Spending is not included, because evidence does not contain it; ledgers record spending.
public struct BalanceTimeline: Sendable, Equatable {
    /// The name of a balance.
    public typealias ID = BalanceID

    /// The total amounts at an instant, in units of the balance.
    public struct Totals: Hashable, Sendable {
        /// The sum of the amounts that purchases have credited.
        public var credited: Int64
        /// The sum of the amounts that refunds have taken back; at most ``credited``.
        public var clawedBack: Int64

        /// The remaining balance.
        public var balance: Int64 { credited - clawedBack }

        /// Creates the total amounts.
        package init(credited: Int64 = 0, clawedBack: Int64 = 0) {
            self.credited = credited
            self.clawedBack = clawedBack
        }
    }

    /// The name of the balance.
    public let id: ID
    private var timeline = Timeline(Totals())

    /// Returns the totals at an instant.
    public func totals(at instant: Instant) -> Totals { timeline.value(at: instant) }

    /// Returns the first instant after the given one at which the totals change; `nil` if they no longer change.
    package func nextChange(after instant: Instant) -> Instant? { timeline.nextChange(after: instant) }

    /// An amount that a purchase credits or a refund takes back, at an instant.
    struct Movement: Equatable, Sendable {
        var at: Instant
        var credited: Int64 = 0
        var clawedBack: Int64 = 0
    }

    /// Creates the timeline from movements in any order.
    ///
    /// A sum that would overflow becomes the greatest possible value instead.
    init(id: ID, movements: [Movement]) {
        self.id = id
        var totals = Totals()
        for movement in movements.sorted(by: { $0.at < $1.at }) {
            totals.credited = Self.sum(totals.credited, movement.credited)
            totals.clawedBack = Self.sum(totals.clawedBack, movement.clawedBack)
            timeline.append(totals, from: movement.at, joins: ==)
        }
    }

    private static func sum(_ left: Int64, _ right: Int64) -> Int64 {
        let (sum, overflow) = left.addingReportingOverflow(right)
        return overflow ? .max : sum
    }
}

extension BalanceTimeline {
    /// Appends the credit of a consumable's transaction, and the amount that its refund takes back.
    ///
    /// - Parameters:
    ///   - grant: The number of balance units that one unit of the product credits.
    ///   - movements: The movements to append to.
    static func appendMovements(of fact: TransactionFact, grant: Int64, to movements: inout [Movement]) {
        let (credited, overflow) = Int64(fact.transaction.purchasedQuantity).multipliedReportingOverflow(by: grant)
        let amount = overflow ? Int64.max : credited
        movements.append(Movement(at: fact.purchasedAt, credited: amount))
        if let revokedAt = fact.revokedAt {
            movements.append(
                Movement(
                    at: max(revokedAt, fact.purchasedAt),
                    clawedBack: RefundShare.taken(by: fact.transaction, of: amount)))
        }
    }
}
