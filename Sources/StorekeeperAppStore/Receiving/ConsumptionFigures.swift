import Storekeeper

/// What the ledger knows of how far a purchase was used.
///
/// Units of one balance are alike, so which were spent is a rule: the oldest first. What came after the purchase is
/// therefore spent after it.
public struct ConsumptionFigures: Hashable, Sendable {
    /// The balance.
    public let balance: String
    /// How many units the transaction has added, less what refunds have taken back.
    public let credited: Int64
    /// How many of them are still there, 0 to ``credited``.
    public let unspent: Int64

    /// Makes figures.
    public init(balance: String, credited: Int64, unspent: Int64) {
        self.balance = balance
        self.credited = max(credited, 0)
        self.unspent = min(max(unspent, 0), max(credited, 0))
    }

    /// How much of it was used, in thousandths of a percent, 0 to 100000, rounded down.
    ///
    /// - SeeAlso: Apple, "App Store Server API: consumptionPercentage".
    public var consumedMillipercent: Int64 {
        guard credited > 0 else { return 0 }
        // 128 bits: a balance may hold more than fits a product with 100000.
        let used = Int128(credited - unspent) * 100_000 / Int128(credited)
        return Int64(clamping: used)
    }
}

/// Adds up what a transaction has added to balances, and what came after it, while going through an account.
struct ConsumptionTally: Sendable {
    private struct Share {
        var credited: Int64 = 0
        /// What others have added since.
        var addedLater: Int64 = 0
        var after: Int64 = 0
    }

    private let key: TransactionKey
    private var shares: [String: Share] = [:]

    init(of key: TransactionKey) { self.key = key }

    /// Takes in the next entry of the account.
    mutating func add(_ entry: LedgerEntry) {
        let isOwn: Bool
        if case .transaction(let cause, productID: _, target: _) = entry.cause {
            isOwn = cause == key
        } else {
            isOwn = false
        }
        guard isOwn || shares[entry.balance] != nil else { return }
        var share = shares[entry.balance, default: Share()]
        if isOwn {
            share.credited = Self.sum(share.credited, entry.change)
        } else if entry.change > 0 {
            share.addedLater = Self.sum(share.addedLater, entry.change)
        }
        share.after = entry.after
        shares[entry.balance] = share
    }

    /// The figures, by name of the balance.
    var figures: [ConsumptionFigures] {
        shares.sorted { $0.key < $1.key }.map { balance, share in
            let rest = share.after.subtractingReportingOverflow(share.addedLater)
            return ConsumptionFigures(
                balance: balance, credited: share.credited, unspent: rest.overflow ? 0 : rest.partialValue)
        }
    }

    private static func sum(_ left: Int64, _ right: Int64) -> Int64 {
        let sum = left.addingReportingOverflow(right)
        return sum.overflow ? (right < 0 ? .min : .max) : sum.partialValue
    }
}
