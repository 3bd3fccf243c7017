/// The changes that the transactions of one atomic write make to a customer's account.
struct Account {
    let customer: CustomerID
    let at: Instant
    /// The new entries.
    private(set) var entries: [LedgerEntry] = []
    /// The transactions without entries, because their entries would make a balance overflow.
    private(set) var uncredited: [TransactionKey] = []
    /// The transactions that are not credited, because they were credited to a customer who has since been erased.
    private(set) var creditedBefore: [TransactionKey] = []
    /// The balances that were read so far, and whether each balance has changed.
    private var balances: [(balance: Balance, isMoved: Bool)] = []

    init(customer: CustomerID, at instant: Instant) {
        self.customer = customer
        at = instant
    }

    /// Appends the entries that a transaction requires according to its newest copy: all of these entries, or no entry
    /// if a balance would overflow.
    ///
    /// - Parameters:
    ///   - key: The transaction.
    ///   - newest: The newest copy of the transaction in the batch.
    ///   - credits: The credits of `newest` by the rule; `nil` if they are not computed yet.
    ///   - isFresh: Whether the transaction's chain had no owner before the batch. Such a chain has no earlier copies
    ///     and entries, so that the vault need not be read.
    mutating func adjust(
        _ key: TransactionKey, newest: Transaction, credits: [LedgerRule.Credit]? = nil, isFresh: Bool,
        by rule: LedgerRule, in tables: inout some VaultTables
    ) throws(VaultError) {
        guard newest.productType == .consumable else { return }
        var (newest, credits, earlier) = (newest, credits, [LedgerEntry]())
        if !isFresh {
            for copy in try tables.copies(of: key) where CopyOrder.supersedes(copy, newest) {
                (newest, credits) = (copy, nil)
            }
            earlier = try tables.entries(causedBy: key).filter { $0.customer == customer }
        }
        do throws(VaultError) {
            try adjust(key, newest, credits, after: earlier, by: rule, in: &tables)
        } catch {
            guard error.code == .overflow else { throw error }
            uncredited.append(key)
        }
    }

    private mutating func adjust(
        _ key: TransactionKey, _ newest: Transaction, _ credits: [LedgerRule.Credit]?, after earlier: [LedgerEntry],
        by rule: LedgerRule, in tables: inout some VaultTables
    ) throws(VaultError) {
        var due = if let credits { credits } else { try rule.credits(of: newest) }
        // A former owner of the purchase has entries, of which nothing is left.
        if earlier.reduce(0, { $0 &+ $1.change }) == 0, !due.isEmpty, try tables.isMarked(.transaction(key)) {
            creditedBefore.append(key)
            return
        }
        // Earlier credits stay in the account, even if the catalog no longer contains them.
        for entry in earlier where !due.contains(where: { $0.balance == entry.balance }) {
            due.append((entry.balance, 0))
        }
        var wanted: [(place: Int, movement: LedgerRule.Movement)] = []
        for (name, credit) in due {
            let own = earlier.filter { $0.balance == name }
            // A new catalog does not add credits to a purchase that was credited before.
            if own.isEmpty, !earlier.isEmpty { continue }
            let place = try place(of: name, in: tables)
            let movements = rule.movements(
                of: newest, credit: credit, after: own, balance: balances[place].balance.amount)
            var balance = balances[place].balance
            for movement in movements {
                balance = try balance.adding(movement.kind, movement.change)
                wanted.append((place, movement))
            }
        }
        for (place, movement) in wanted {
            try append(movement, at: place, because: key, productID: newest.productID, in: &tables)
        }
    }

    /// Appends the entries that take back what a transaction has added, because it moves to another customer.
    mutating func takeBack(
        _ key: TransactionKey, productID: Product.ID, by rule: LedgerRule, in tables: inout some VaultTables
    ) throws(VaultError) {
        let earlier = try tables.entries(causedBy: key).filter { $0.customer == customer }
        var names: [Balance.ID] = []
        for entry in earlier where !names.contains(entry.balance) { names.append(entry.balance) }
        for name in names {
            let place = try place(of: name, in: tables)
            guard
                let movement = rule.takingBack(
                    after: earlier.filter { $0.balance == name }, balance: balances[place].balance.amount)
            else { continue }
            try append(movement, at: place, because: key, productID: productID, in: &tables)
        }
    }

    private mutating func append(
        _ movement: LedgerRule.Movement, at place: Int, because key: TransactionKey, productID: Product.ID,
        in tables: inout some VaultTables
    ) throws(VaultError) {
        let balance = try balances[place].balance.adding(movement.kind, movement.change)
        entries.append(
            try tables.append(
                LedgerDraft(
                    customer: customer, at: at, kind: movement.kind, balance: balance.id, change: movement.change,
                    after: balance.amount,
                    cause: .transaction(key, productID: productID, target: movement.target))))
        balances[place] = (balance, true)
    }

    private mutating func place(of name: Balance.ID, in tables: borrowing some VaultTables) throws(VaultError) -> Int {
        if let known = balances.firstIndex(where: { $0.balance.id == name }) { return known }
        balances.append((try tables.balance(name, of: customer) ?? Balance(id: name), false))
        return balances.count - 1
    }

    /// Stores the balances that have changed, and returns these balances, sorted by name.
    func close(in tables: inout some VaultTables) throws(VaultError) -> [Balance] {
        var closed: [Balance] = []
        for (balance, isMoved) in balances where isMoved { closed.append(balance) }
        closed.sort { $0.id < $1.id }
        for balance in closed { try tables.setBalance(balance, of: customer) }
        return closed
    }
}
