/// The rule by which purchases and refunds of consumables change balances.
///
/// A pure rule that every vault applies inside the step that writes the facts, so that nothing is counted twice,
/// whichever process delivers a fact. Each transaction has a *target*: the sum that its entries should have according
/// to its newest copy. The rule makes an entry for the difference. Refunds, reversals, second refunds and growing
/// partial refunds therefore give correct sums in any order, however often they are delivered.
public struct LedgerRule: Sendable {
    /// A single object, because every batch carries the same rule: copying it then counts one reference, not one for
    /// each member.
    private final class Storage: Sendable {
        let catalog: Catalog
        let policy: EntitlementPolicy

        init(catalog: Catalog, policy: EntitlementPolicy) {
            self.catalog = catalog
            self.policy = policy
        }
    }

    private let storage: Storage

    /// The catalog, which says what one unit of a consumable adds to which balance.
    public var catalog: Catalog { storage.catalog }
    /// The policy, which says which transactions count and how refunds change balances.
    public var policy: EntitlementPolicy { storage.policy }

    /// Creates a rule.
    public init(catalog: Catalog = .empty, policy: EntitlementPolicy = EntitlementPolicy()) {
        storage = Storage(catalog: catalog, policy: policy)
    }

    /// The units that a transaction adds to a balance.
    package typealias Credit = (balance: Balance.ID, amount: Int64)

    /// Returns what a transaction adds to each balance before any refund: its quantity × what one unit grants.
    ///
    /// Empty for a product that is not a consumable (by the transaction or by the catalog), for environments that do
    /// not grant and for ownership types that do not entitle.
    ///
    /// - Throws: ``VaultError`` with `overflow` if the amount does not fit into 64 bits.
    package func credits(of transaction: Transaction) throws(VaultError) -> [Credit] {
        guard transaction.productType == .consumable, policy.rule(for: transaction.environment) == .grant,
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

    /// An entry that a transaction requires.
    package struct Movement: Hashable, Sendable {
        /// The kind of the entry.
        package let kind: LedgerEntry.Kind
        /// The change of the balance.
        package let change: Int64
        /// The sum that all entries of the transaction should have after this one.
        package let target: Int64
    }

    /// The target of a transaction that no longer moves a balance, because its grants were since credited to other
    /// balances.
    package static let replaced: Int64 = -1

    /// Returns whether the entries of a transaction credited the balance named after the product because no catalog had
    /// `grants` for it, and the current catalog does.
    func isCreditedWithoutGrants(_ entries: [LedgerEntry], _ productID: Product.ID) -> Bool {
        guard !catalog.hasNoGrants(productID), entries.first?.kind == .credit else { return false }
        return entries.allSatisfy { entry in
            guard case .transaction(_, _, let target) = entry.cause else { return false }
            return target != Self.replaced && entry.balance == Balance.ID(productID.rawValue)
        }
    }

    /// Returns the entries that a transaction requires on one balance.
    ///
    /// - Parameters:
    ///   - transaction: The newest copy of the transaction.
    ///   - credit: The units that the transaction adds, from ``credits(of:)``. Ignored if it has already been credited:
    ///     the amount credited then counts, so that a new catalog never changes what a customer was given.
    ///   - earlier: The entries that the transaction has made on this balance so far, in order.
    ///   - balance: The current amount of the balance.
    /// - Returns: No, one or two movements; two for a purchase that was already refunded when it was learned.
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
            let due = settled - target
            let amount = policy.refundPolicy == .floorAtZero ? min(due, max(0, left)) : due
            movements.append(Movement(kind: .clawBack, change: -amount, target: target))
        } else if target > settled {
            // A refund that was forgiven took nothing, so that its reversal restores nothing.
            movements.append(Movement(kind: .restore, change: max(0, target - sum), target: target))
        }
        return movements
    }
}
