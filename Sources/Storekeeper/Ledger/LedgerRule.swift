/// The rule by which purchases and refunds of consumables change balances.
///
/// The rule is a pure function. Every vault applies the rule inside the step that writes the facts, so that a purchase
/// counts once, even if several processes write the same fact. Each transaction has a *target*: the sum that its
/// entries should have according to its newest copy. The rule makes an entry for the difference between the target and
/// the previous target. Refunds, reversals, second refunds and growing partial refunds therefore lead to correct sums,
/// even if their evidence arrives repeatedly or out of order.
package struct LedgerRule: Sendable {
    /// The members of the rule, in a class because every batch contains a copy of the rule: the copy retains one
    /// reference instead of one for each member.
    private final class Storage: Sendable {
        let catalog: Catalog
        let policy: EntitlementPolicy

        init(catalog: Catalog, policy: EntitlementPolicy) {
            self.catalog = catalog
            self.policy = policy
        }
    }

    private let storage: Storage

    /// The catalog, which defines the units that a consumable adds to each balance.
    package var catalog: Catalog { storage.catalog }
    /// The policy, which defines the transactions that count and the effect of refunds on balances.
    package var policy: EntitlementPolicy { storage.policy }

    /// Creates a rule.
    package init(catalog: Catalog = .empty, policy: EntitlementPolicy = EntitlementPolicy()) {
        storage = Storage(catalog: catalog, policy: policy)
    }

    /// The units that a transaction adds to a balance.
    package typealias Credit = (balance: Balance.ID, amount: Int64)

    /// Returns the units that a transaction adds to each balance before any refund.
    ///
    /// The units are the purchased quantity × the units that the catalog grants for a quantity of one. The result is
    /// empty if the product is not a consumable according to the transaction or the catalog, if the policy does not
    /// grant access in the environment, or if the transaction's ownership type gives no access by the policy.
    ///
    /// - Throws: ``VaultError`` with `overflow` if the amount does not fit into 64 bits.
    package func credits(of transaction: Transaction) throws(VaultError) -> [Credit] {
        guard transaction.productType == .consumable, policy.counts(transaction.environment),
            policy.entitlingOwnershipTypes.contains(transaction.ownershipType),
            !catalog.contradicts(transaction.productType, of: transaction.productID)
        else { return [] }
        var credits: [Credit] = []
        for (balance, grant) in catalog.grants(of: transaction.productID).sorted(by: { $0.key < $1.key })
        where grant > 0 {
            let (amount, overflow) = Int64(transaction.purchasedQuantity).multipliedReportingOverflow(by: grant)
            guard !overflow else {
                throw VaultError(
                    .overflow,
                    "\(transaction.productID) × \(transaction.purchasedQuantity) would overflow '\(balance)'")
            }
            credits.append((balance, amount))
        }
        return credits
    }

    /// An entry that a transaction requires in the account, such as a claw-back after a refund.
    package struct Movement: Hashable, Sendable {
        /// The kind of the entry.
        package let kind: LedgerEntry.Kind
        /// The change of the balance.
        package let change: Int64
        /// The sum that all entries of the transaction should have after this entry.
        package let target: Int64
    }

    /// The target of a transaction that no longer changes a balance, because its units have since been credited to
    /// other balances.
    package static let replaced: Int64 = -1

    /// Returns whether a transaction was credited to the balance named after its product, although the current catalog
    /// has `grants` for the product.
    ///
    /// The credit was made in this way because the catalog had no `grants` for the product at that time.
    func isCreditedWithoutGrants(_ entries: [LedgerEntry], _ productID: Product.ID) -> Bool {
        guard !catalog.hasNoGrants(productID), entries.first?.kind == .credit else { return false }
        return entries.allSatisfy { entry in
            guard case .transaction(_, _, let target) = entry.cause else { return false }
            return target != Self.replaced && entry.balance == Balance.ID(productID.rawValue)
        }
    }

    /// Returns the claw-back that a transaction requires on one balance when it moves to another customer; `nil` if
    /// nothing is to be taken back.
    ///
    /// - Parameters:
    ///   - earlier: The entries that the transaction has made on this balance so far, in order.
    ///   - balance: The current amount of the balance.
    func takingBack(after earlier: [LedgerEntry], balance: Int64) -> Movement? {
        guard case .transaction(_, _, let settled)? = earlier.last?.cause, settled > 0 else { return nil }
        let amount = policy.refundPolicy == .floorAtZero ? min(settled, max(0, balance)) : settled
        return Movement(kind: .clawBack, change: -amount, target: 0)
    }

    /// Returns the entries that a transaction requires on one balance.
    ///
    /// - Parameters:
    ///   - transaction: The newest copy of the transaction.
    ///   - credit: The units that the transaction adds, from ``credits(of:)``. Ignored if the transaction was credited
    ///     before: the amount of that credit then counts, so that a new catalog never changes the units of an earlier
    ///     purchase.
    ///   - earlier: The entries that the transaction has made on this balance so far, in order.
    ///   - balance: The current amount of the balance.
    /// - Returns: Zero, one or two movements; two for a purchase that was already refunded when it was learned.
    package func movements(
        of transaction: Transaction, credit: Int64, after earlier: [LedgerEntry], balance: Int64
    ) -> [Movement] {
        var movements: [Movement] = []
        var (sum, settled, full) = (Int64(0), Int64(0), credit)
        if let first = earlier.first {
            full = first.change
            sum = earlier.reduce(0) { $0 &+ $1.change }
            if case .transaction(_, _, let target)? = earlier.last?.cause { settled = target }
            if settled == Self.replaced { return [] }
        } else {
            movements.append(Movement(kind: .credit, change: full, target: full))
            (sum, settled) = (full, full)
        }
        let left = balance &+ (movements.first?.change ?? 0)
        let target = full - RefundShare.taken(by: transaction, of: full)
        if target < settled {
            let due = Self.excess(of: settled, over: target)
            let amount = policy.refundPolicy == .floorAtZero ? min(due, max(0, left)) : due
            movements.append(Movement(kind: .clawBack, change: -amount, target: target))
        } else if target > settled {
            // With `floorAtZero`, a refund may have taken fewer units than were due. Its reversal restores only the
            // units that it took.
            movements.append(Movement(kind: .restore, change: Self.excess(of: target, over: sum), target: target))
        }
        return movements
    }

    /// Returns the number of units by which one number exceeds another; 0 if it does not.
    ///
    /// Only entries that were changed in the storage lead to a difference that does not fit into 64 bits. The result is
    /// then the highest number, with which every balance overflows.
    private static func excess(of high: Int64, over low: Int64) -> Int64 {
        let (difference, overflow) = high.subtractingReportingOverflow(low)
        return high < low ? 0 : overflow ? .max : difference
    }
}
