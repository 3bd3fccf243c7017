/// What purchases and refunds of consumables do to balances.
///
/// A pure rule, which every vault applies inside the step that writes the facts, so that nothing is counted twice
/// whichever process brings it. Each transaction has a *target*: what its entries should come to by its newest copy.
/// An entry is made of the difference. So a refund, its reversal, a second refund and a growing partial refund all
/// come out right, in any order and however often they are delivered.
public struct LedgerRule: Sendable {
    /// One object: every batch carries the same rule, and many threads would count the references of all it holds.
    private final class Storage: Sendable {
        let catalog: Catalog
        let policy: EntitlementPolicy

        init(catalog: Catalog, policy: EntitlementPolicy) {
            self.catalog = catalog
            self.policy = policy
        }
    }

    private let storage: Storage

    /// What the app sells: what one unit of a consumable adds to which balance.
    public var catalog: Catalog { storage.catalog }
    /// Which transactions count, and how a refund is settled.
    public var policy: EntitlementPolicy { storage.policy }

    /// Makes a rule.
    public init(catalog: Catalog = .empty, policy: EntitlementPolicy = EntitlementPolicy()) {
        storage = Storage(catalog: catalog, policy: policy)
    }

    /// What a transaction adds to a balance, in units of the balance.
    package typealias Credit = (balance: Balance.ID, amount: Int64)

    /// What a transaction adds to each balance before any refund: its quantity × what one unit grants.
    ///
    /// Empty for what is no consumable, also where only the catalog says so, for environments that do not grant and for
    /// ownership that does not entitle.
    ///
    /// - Throws: ``VaultError`` with `overflow` where a product is greater than any 64-bit number.
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
                    "\(transaction.productID) × \(transaction.purchasedQuantity) is more than '\(balance)' can hold")
            }
            credits.append((balance, amount))
        }
        return credits
    }

    /// An entry that a transaction wants.
    package struct Movement: Hashable, Sendable {
        /// What it does.
        package let kind: LedgerEntry.Kind
        /// By how much it moves the balance.
        package let change: Int64
        /// What all entries of the transaction should come to after it.
        package let target: Int64
    }

    /// The target of a transaction on a balance that it does not move any more: what the catalogs grant for it was
    /// credited to other balances since.
    package static let replaced: Int64 = -1

    /// Whether entries of a transaction have credited a balance of the product's own name, because no catalog gave
    /// `grants`, and the catalog of now does.
    func isCreditedWithoutGrants(_ entries: [LedgerEntry], _ productID: Product.ID) -> Bool {
        guard !catalog.hasNoGrants(productID), entries.first?.kind == .credit else { return false }
        return entries.allSatisfy { entry in
            guard case .transaction(_, _, let target) = entry.cause else { return false }
            return target != Self.replaced && entry.balance == Balance.ID(productID.rawValue)
        }
    }

    /// The entries that a transaction wants on one balance.
    ///
    /// - Parameters:
    ///   - transaction: Its newest copy.
    ///   - credit: What it adds by ``credits(of:)``. Where it has been credited before, what was credited then counts,
    ///     so that a new catalog never changes what a customer was given.
    ///   - earlier: The entries that it has made on this balance so far, in order.
    ///   - balance: What the balance is now.
    /// - Returns: None, one, or for a refund that comes before its purchase was known, two.
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
            // What was forgiven was never taken, so that it cannot come back either.
            movements.append(Movement(kind: .restore, change: max(0, target - sum), target: target))
        }
        return movements
    }
}
