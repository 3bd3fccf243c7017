import FoundationEssentials

/// The state of the audit of one customer's account.
struct AccountAudit {
    /// The entries of one transaction on one balance.
    private struct Settlement {
        var credited: Int64
        var sum: Int64
        var target: Int64
        var lastEntry: FeedPlace
    }

    /// A transaction with a balance that it changes.
    private struct Position: Hashable {
        let key: TransactionKey
        let balance: Balance.ID
    }

    let customer: CustomerID
    /// The counts and faults of the facts and entries that were checked so far.
    private(set) var report = AuditReport()
    /// The number of transactions that existed when the audit began.
    private(set) var earlyFacts = 0
    /// The number of entries that existed when the audit began.
    private(set) var earlyEntries = 0

    private var chains: [ChainID: ChainTokens] = [:]
    private var transactions: Set<TransactionKey> = []
    private var consumables: [TransactionKey: Transaction] = [:]
    private var balances: [Balance.ID: Balance] = [:]
    private var settlements: [Position: Settlement] = [:]
    private var requests: Set<LedgerRequest.Key> = []
    private var grants: [AccessGrant] = []
    private var lastEntry = AccountEnd.none
    /// The entries of consumables that the customer does not have, by transaction.
    private var missing: [TransactionKey: LedgerEntry] = [:]
    /// The chains that were moved from the customer, and those that were moved to the customer.
    private var movedChains: (from: Set<ChainID>, to: Set<ChainID>) = ([], [])

    init(customer: CustomerID) { self.customer = customer }

    /// The chains of the checked facts, and their tokens.
    var subjects: [BindingSubject] {
        chains.keys.map(BindingSubject.chain) + chains.values.flatMap { $0.all.map(BindingSubject.token) }
    }

    // MARK: Facts

    /// Checks the next fact.
    mutating func check(_ stored: StoredFact, isEarly: Bool) {
        guard let transaction = stored.fact.transaction else { return }
        if isEarly { earlyFacts += 1 }
        let key = TransactionKey(transaction)
        let isFirst = transactions.insert(key).inserted
        chains[ChainID(transaction), default: ChainTokens()].add(transaction, isFirst: isFirst)
        guard transaction.productType == .consumable else { return }
        if let known = consumables[key], !CopyOrder.supersedes(transaction, known) { return }
        consumables[key] = transaction
    }

    // MARK: Entries

    /// Checks the next entry.
    mutating func check(_ entry: LedgerEntry, isEarly: Bool) {
        if isEarly { earlyEntries += 1 }
        let subject = "entry \(entry.place)"
        if entry.number != lastEntry.number &+ 1 {
            addFault(.entry, subject, "its number is \(entry.number), but it comes after \(lastEntry.number)")
        }
        lastEntry = AccountEnd(entry)
        if entry.customer != customer {
            addFault(.entry, subject, "it is in the account of another customer")
        }
        if entry.kind == .transfer { return checkTransfer(entry) }
        if !entry.kind.movesBalance { return checkAccess(entry) }
        do throws(VaultError) {
            let name = entry.balance
            let balance = try (balances[name] ?? Balance(id: entry.balance)).adding(entry.kind, entry.change)
            balances[name] = balance
            if entry.kind == .spend, balance.amount < 0 {
                addFault(.entry, subject, "it spends more of '\(entry.balance)' than was available")
            }
            if balance.amount != entry.after {
                addFault(
                    .sum, subject,
                    "its stored balance of '\(entry.balance)' is \(entry.after), but should be \(balance.amount)")
            }
        } catch {
            addFault(.sum, subject, "it changes '\(entry.balance)' by \(entry.change), which is impossible")
        }
        switch (entry.cause, entry.kind) {
        case (.transaction(let key, let productID, let target), .credit),
            (.transaction(let key, let productID, let target), .clawBack),
            (.transaction(let key, let productID, let target), .restore):
            check(entry, because: key, productID: productID, target: target)
        case (.request(let key, let reason), .spend), (.request(let key, let reason), .grant):
            if !requests.insert(key).inserted {
                addFault(.entry, subject, "its key was used before")
            }
            if (reason != nil) != (entry.kind == .grant) {
                addFault(.entry, subject, "grants must have a reason, spends must not")
            }
            if entry.change == 0 { addFault(.entry, subject, "it changes nothing") }
        default: addFault(.entry, subject, "a \(entry.kind.rawValue) cannot have such a cause")
        }
    }

    /// Checks an entry that grants or revokes access.
    private mutating func checkAccess(_ entry: LedgerEntry) {
        let subject = "entry \(entry.place)"
        if entry.change != 0 || entry.after != 0 || !entry.balance.rawValue.isEmpty {
            addFault(.entry, subject, "it changes a balance, although it is about access")
        }
        switch (entry.accessChange, entry.kind) {
        case (.grant(let grant)?, .grantAccess):
            if !requests.insert(grant.key).inserted { addFault(.entry, subject, "its key was used before") }
            if grant.until <= grant.grantedAt { addFault(.entry, subject, "its access ends before it begins") }
        case (.revoke(let id, _)?, .revokeAccess):
            if !grants.contains(where: { $0.id == id && $0.revocation == nil }) {
                addFault(.entry, subject, "it revokes access that was not granted, or was revoked before")
            }
        default: addFault(.entry, subject, "a \(entry.kind.rawValue) cannot have such a cause")
        }
        if let change = entry.accessChange { grants = grants.applying(change) }
    }

    /// Checks an entry that records that a chain or token has moved.
    private mutating func checkTransfer(_ entry: LedgerEntry) {
        let subject = "entry \(entry.place)"
        guard case .transfer(let moved, let from, let to, _) = entry.cause, from == customer || to == customer,
            from != to
        else { return addFault(.entry, subject, "it moves nothing from or to the customer") }
        if entry.change != 0 || entry.after != 0 || !entry.balance.rawValue.isEmpty {
            addFault(.entry, subject, "it changes a balance, although it is about a transfer")
        }
        guard case .chain(let chain) = moved else { return }
        if from == customer { movedChains.from.insert(chain) } else { movedChains.to.insert(chain) }
    }

    private mutating func check(
        _ entry: LedgerEntry, because key: TransactionKey, productID: Product.ID, target: Int64
    ) {
        let subject = "entry \(entry.place)"
        if let purchase = consumables[key] {
            if purchase.productID != productID {
                addFault(
                    .entry, subject, "it names \(productID), but \(key.transactionID) bought \(purchase.productID)")
            }
        } else {
            // The purchase may have moved to another customer, as a later entry then says.
            missing[key] = entry
        }
        let position = Position(key: key, balance: entry.balance)
        guard var settlement = settlements[position] else {
            if entry.kind != .credit || entry.change <= 0 || target != entry.change {
                addFault(.entry, subject, "the first entry of \(key.transactionID) credits nothing")
            }
            settlements[position] = Settlement(
                credited: max(0, entry.change), sum: entry.change, target: target, lastEntry: entry.place)
            return
        }
        if entry.kind == .credit { addFault(.entry, subject, "\(key.transactionID) was credited before") }
        if settlement.target == LedgerRule.replaced {
            addFault(
                .entry, subject, "\(key.transactionID) changes a balance whose credits were moved to other balances")
        }
        settlement.sum = settlement.sum.addingReportingOverflow(entry.change).partialValue
        settlement.target = target
        settlement.lastEntry = entry.place
        if settlement.sum < max(0, target) || settlement.sum > settlement.credited {
            addFault(
                .entry, subject,
                "the entries of \(key.transactionID) add up to \(settlement.sum), which is not from \(target) to "
                    + "\(settlement.credited)")
        }
        settlements[position] = settlement
    }

    // MARK: Closing

    /// Compares the checked facts and entries with the balances, bindings and last entry in the tables.
    mutating func close(in tables: borrowing some VaultTables) throws(VaultError) {
        let bindings = try tables.bindings(of: customer)
        var holders: [BindingSubject: CustomerID] = [:]
        for subject in bindings.map(\.subject) + subjects {
            holders[subject] = try Ownership.holder(of: subject, in: tables)
        }
        close(
            balances: try tables.balances(of: customer), lastEntry: try tables.lastEntry(of: customer),
            bindings: bindings, holders: holders)
    }

    /// Compares the checked facts and entries with the vault's balances, bindings and last entry.
    mutating func close(
        balances stored: [Balance], lastEntry: AccountEnd, bindings: [Binding], holders: [BindingSubject: CustomerID]
    ) {
        for (position, settlement) in settlements {
            guard let purchase = consumables[position.key] else { continue }
            if settlement.target == LedgerRule.replaced {
                if settlement.sum != 0 {
                    addFault(
                        .entry, "entry \(settlement.lastEntry)",
                        "\(position.key.transactionID) leaves \(settlement.sum) of '\(position.balance)', in place of which "
                            + "others were credited")
                }
                continue
            }
            // A purchase that has come back after its owner was erased is not credited again.
            if settlement.sum == 0, settlement.target == 0, isMovedAway(position.key) { continue }
            let taken = RefundShare.taken(by: purchase, of: settlement.credited)
            if settlement.target != settlement.credited - taken {
                addFault(
                    .entry, "entry \(settlement.lastEntry)",
                    "\(position.key.transactionID) should come to \(settlement.credited - taken) of "
                        + "'\(position.balance)' by its newest copy, but was settled at \(settlement.target)")
            }
        }
        for (key, entry) in missing where !isMovedAway(key) {
            addFault(
                .entry, "entry \(entry.place)",
                "the consumable \(key.transactionID) that caused it is not in the vault")
        }
        compare(stored)
        if lastEntry != self.lastEntry {
            addFault(
                .entry, "entry \(lastEntry.place)",
                "it is stored as the last entry, number \(lastEntry.number), but that is \(self.lastEntry.place), "
                    + "number \(self.lastEntry.number)")
        }
        report.bindings += bindings.count
        for binding in bindings where !isOwn(binding.subject, holders) || binding.customer != customer {
            addFault(.binding, binding.subject.faultSubject, "it is listed for a customer who does not own it")
        }
        for (chain, tokens) in chains {
            if !isOwn(.chain(chain), holders) {
                addFault(
                    .binding, chain.originalID.rawValue, "it and its purchases belong to different customers")
            }
            // A token of the customer gives the right to all transactions of the chain.
            guard !movedChains.to.contains(chain), let decisive = tokens.decisive?.token,
                !tokens.all.contains(where: { isOwn(.token($0), holders) })
            else { continue }
            addFault(
                .binding, BindingSubject.token(decisive).faultSubject,
                "it and its purchases belong to different customers")
        }
    }

    /// Returns whether a consumable's chain was moved to another customer; every purchase of a consumable is a chain of
    /// its own.
    private func isMovedAway(_ key: TransactionKey) -> Bool {
        movedChains.from.contains(
            ChainID(bundleID: key.bundleID, environment: key.environment, originalID: key.transactionID))
    }

    /// Returns whether a chain or token belongs to the customer.
    ///
    /// An unbound token belongs to the customer if the token is the customer's id, regardless of the vault's current
    /// rule for tokens.
    private func isOwn(_ subject: BindingSubject, _ holders: [BindingSubject: CustomerID]) -> Bool {
        if let holder = holders[subject] { return holder == customer }
        guard case .token(let token) = subject else { return false }
        return AccountTokenRule.asIDs.customer(namedBy: token) == customer
    }

    private mutating func compare(_ stored: [Balance]) {
        report.sums += stored.count
        let known = Dictionary(stored.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        for id in Set(known.keys).union(balances.keys) {
            let (found, sum) = (known[id] ?? Balance(id: id), balances[id] ?? Balance(id: id))
            guard found != sum else { continue }
            addFault(
                .sum, id.rawValue,
                "the balance is \(found.amount), but the entries up to \(lastEntry.place) add up to \(sum.amount): "
                    + "\(sum.credited) credited, \(sum.spent) spent, \(sum.clawedBack) taken back, "
                    + "\(sum.restored) restored")
        }
    }

    private mutating func addFault(_ kind: VaultFault.Kind, _ subject: String, _ message: String) {
        report.faults.append(VaultFault(kind, subject, message))
    }
}

extension BindingSubject {
    /// The subject of a fault; a token identifies a customer and is therefore not printed.
    fileprivate var faultSubject: String {
        switch self {
        case .chain(let chain): chain.originalID.rawValue
        case .token: "token"
        }
    }
}
