/// The correction of a customer's account for consumables that were bought while no catalog defined `grants` for them.
///
/// Each such purchase has added its quantity to a balance named after the product. The correction takes these units
/// back and credits the grants of the current catalog. An entry with the target ``LedgerRule/replaced`` records that
/// the purchase no longer changes the old balance, so that the correction is made only once.
package struct Recredit: Sendable {
    /// A change of a balance that corrects a purchase's credit.
    package struct Move: Hashable, Sendable {
        /// The purchase.
        let key: TransactionKey
        let productID: Product.ID
        /// The balance.
        let balance: Balance.ID
        let movement: LedgerRule.Movement
    }

    /// The owner of the account.
    package let customer: CustomerID
    /// The changes, in the order in which they are made.
    package private(set) var moves: [Move] = []
    /// The corrected purchases.
    package private(set) var purchases: [TransactionKey] = []
    /// The purchases that are not corrected, because their units were spent from the old balance, because the current
    /// grants credit the old balance, or because a balance would overflow.
    package private(set) var kept: [TransactionKey] = []

    /// The change of each balance, by name.
    package var changes: [(balance: Balance.ID, change: Int64)] {
        var sums: [Balance.ID: Int64] = [:]
        for move in moves { sums[move.balance, default: 0] &+= move.movement.change }
        return sums.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Whether no purchase has to be corrected or reported.
    package var isEmpty: Bool { moves.isEmpty && kept.isEmpty }

    /// Computes the correction of an account.
    init(
        of customer: CustomerID, by rule: LedgerRule, in tables: borrowing some VaultTables
    ) throws(VaultError) {
        self.customer = customer
        var order: [TransactionKey] = []
        var entries: [TransactionKey: [LedgerEntry]] = [:]
        for entry in try tables.entries(after: .start, of: customer, limit: .max) {
            guard case .transaction(let key, _, _) = entry.cause else { continue }
            if entries[key] == nil { order.append(key) }
            entries[key, default: []].append(entry)
        }
        var balances: [Balance.ID: Balance] = [:]
        for balance in try tables.balances(of: customer) { balances[balance.id] = balance }
        for key in order {
            guard let own = entries[key], let first = own.first,
                case .transaction(_, let productID, _) = first.cause,
                rule.isCreditedWithoutGrants(own, productID), let newest = try Self.newest(of: key, in: tables),
                first.change == Int64(newest.purchasedQuantity)
            else { continue }
            let sum = own.reduce(0) { $0 &+ $1.change }
            // A refunded purchase has no units left to correct.
            guard sum > 0 else { continue }
            do throws(VaultError) {
                let credits = try rule.credits(of: newest)
                guard !credits.isEmpty else { continue }
                let old = first.balance
                // Units that were spent from the old balance cannot be taken back, because only a refund may make a
                // balance negative.
                guard let held = balances[old], held.amount >= sum,
                    !credits.contains(where: { $0.balance == old })
                else {
                    kept.append(key)
                    continue
                }
                var (next, own) = (balances, [Move]())
                func add(_ movement: LedgerRule.Movement, to name: Balance.ID) throws(VaultError) {
                    let balance = next[name] ?? Balance(id: name)
                    next[name] = try balance.adding(movement.kind, movement.change)
                    own.append(Move(key: key, productID: productID, balance: name, movement: movement))
                }
                try add(
                    LedgerRule.Movement(kind: .clawBack, change: -sum, target: LedgerRule.replaced), to: first.balance)
                for credit in credits {
                    let left = next[credit.balance]?.amount ?? 0
                    for movement in rule.movements(of: newest, credit: credit.amount, after: [], balance: left) {
                        try add(movement, to: credit.balance)
                    }
                }
                (balances, moves) = (next, moves + own)
                purchases.append(key)
            } catch {
                guard error.code == .overflow else { throw error }
                kept.append(key)
            }
        }
    }

    private static func newest(
        of key: TransactionKey, in tables: borrowing some VaultTables
    ) throws(VaultError) -> Transaction? {
        try tables.copies(of: key).reduce(nil) { newest, copy in
            guard let newest else { return copy }
            return CopyOrder.supersedes(copy, newest) ? copy : newest
        }
    }
}

extension VaultRules {
    /// Corrects the credits of a customer that were made without `grants`.
    ///
    /// - Returns: The corrections, and the purchases that could not be corrected.
    package static func recredit(
        _ customer: CustomerID, by rule: LedgerRule, at instant: Instant, in tables: inout some VaultTables
    ) throws(VaultError) -> Recredit {
        let recredit = try Recredit(of: customer, by: rule, in: tables)
        guard !recredit.moves.isEmpty else { return recredit }
        for move in recredit.moves {
            let balance = try (tables.balance(move.balance, of: customer) ?? Balance(id: move.balance))
                .adding(move.movement.kind, move.movement.change)
            _ = try tables.append(
                LedgerDraft(
                    customer: customer, at: instant, kind: move.movement.kind, balance: balance.id,
                    change: move.movement.change, after: balance.amount,
                    cause: .transaction(move.key, productID: move.productID, target: move.movement.target)))
            try tables.setBalance(balance, of: customer)
        }
        if var row = try tables.customer(customer) {
            try row.advance()
            try tables.setCustomer(row)
        }
        return recredit
    }
}

extension TransactionalVault {
    /// Corrects the credits of a customer that were made without `grants`, in one atomic write; a repeated call changes
    /// nothing.
    ///
    /// - Parameters:
    ///   - customer: The owner of the account.
    ///   - rule: A rule with the current catalogs.
    ///   - instant: The current instant, in UTC.
    ///   - isDryRun: Whether the correction is only computed, and nothing is written.
    package func recredit(
        _ customer: CustomerID, by rule: LedgerRule, at instant: Instant, isDryRun: Bool
    ) async throws(VaultError) -> Recredit {
        if isDryRun {
            return try await read { tables throws(VaultError) in
                try Recredit(of: customer, by: rule, in: tables)
            }
        }
        return try await write { tables throws(VaultError) in
            try VaultRules.recredit(customer, by: rule, at: instant, in: &tables)
        }
    }
}
