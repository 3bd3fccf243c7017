import FoundationEssentials

/// A request to move a chain or token from its owner to another customer.
package struct OwnershipTransfer: Sendable {
    /// The chain or token.
    package let subject: BindingSubject
    /// The new owner.
    package let recipient: CustomerID
    /// The reason, which both accounts record.
    package let reason: String
    /// The caller that made the request.
    package let recordedBy: String?
    /// The instant of the transfer, in UTC.
    package let at: Instant
    /// The rule by which units are taken back from the previous owner and credited to the new owner.
    package let rule: LedgerRule
    /// The state of both customers from which ``events`` and ``wakes`` were computed.
    package let basis: Basis
    /// The changes of answers, by customer.
    package let events: [CustomerID: [StoreEvent.Change]]
    /// The next instants at which answers change by time alone, by customer.
    package let wakes: [CustomerID: Instant]

    /// Creates a request.
    package init(
        subject: BindingSubject, recipient: CustomerID, reason: String, recordedBy: String?, at instant: Instant,
        rule: LedgerRule, basis: Basis, events: [CustomerID: [StoreEvent.Change]], wakes: [CustomerID: Instant]
    ) {
        self.subject = subject
        self.recipient = recipient
        self.reason = reason
        self.recordedBy = recordedBy
        at = instant
        self.rule = rule
        self.basis = basis
        self.events = events
        self.wakes = wakes
    }

    /// The owner of a chain or token, and the versions of both customers.
    package struct Basis: Hashable, Sendable {
        /// The owner before the transfer.
        package let owner: CustomerID
        /// The version of the owner's data.
        package let ownerVersion: Int64
        /// The version of the new owner's data.
        package let recipientVersion: Int64
    }
}

/// The outcome of a transfer.
package enum TransferOutcome: Sendable {
    /// The chain or token has moved; the values are the moved chains and the new entries of both accounts.
    case moved(chains: [ChainID], entries: [LedgerEntry])
    /// The owner or the data of a customer has changed since the request was computed; nothing was written.
    case stale
}

extension VaultRules {
    /// Returns the owner of a chain or token that a customer is to receive, and the versions of both customers; `nil` if
    /// it has no owner.
    package static func basis(
        ofMoving subject: BindingSubject, to recipient: CustomerID, in tables: borrowing some VaultTables
    ) throws(VaultError) -> OwnershipTransfer.Basis? {
        var owner = try Ownership.holder(of: subject, for: recipient, in: tables)
        if owner == nil, case .chain(let chain) = subject,
            let waiting = try tables.parked(of: chain, after: .start, limit: 1).rows.first?.fact
        {
            // The chain is not bound yet, but its parked evidence may have an owner, for example by a token.
            owner = try owners(of: [waiting], in: tables).first ?? nil
        }
        guard let owner else { return nil }
        return OwnershipTransfer.Basis(
            owner: owner, ownerVersion: try tables.customer(owner)?.version ?? 0,
            recipientVersion: try tables.customer(recipient)?.version ?? 0)
    }

    /// Moves a chain or token from its owner to another customer.
    ///
    /// A token moves together with the owner's chains whose newest token it is. What the chains have added to the
    /// owner's balances is taken back there, as the refund policy defines, and credited to the new owner. Deliveries are
    /// not repeated: the content of a purchase that was not delivered before counts as delivered.
    package static func transfer(
        _ transfer: OwnershipTransfer, in tables: inout some VaultTables
    ) throws(VaultError) -> TransferOutcome {
        guard !transfer.reason.isEmpty else {
            throw VaultError(.invalidRequest, "the reason is empty; give a reason, which both accounts show")
        }
        try LengthLimit.reason.check(transfer.reason, "the reason")
        try LengthLimit.id.check(transfer.recordedBy ?? "", "the name of the caller")
        try LengthLimit.id.check(transfer.recipient.rawValue, "the customer's id")
        let (owner, recipient) = (transfer.basis.owner, transfer.recipient)
        guard try basis(ofMoving: transfer.subject, to: recipient, in: tables) == transfer.basis, owner != recipient
        else { return .stale }
        let chains = try chains(movingWith: transfer.subject, of: owner, in: tables)
        let facts = try tables.facts(after: .start, of: owner, limit: .max).map(\.fact).filter { fact in
            fact.transaction.map { chains.contains(ChainID($0)) } ?? false
        }
        let purchases = consumables(in: facts)
        var entries: [LedgerEntry] = []

        try advance(owner, by: transfer, in: &tables)
        var account = Account(customer: owner, at: transfer.at)
        for (key, newest) in purchases {
            try account.takeBack(key, productID: newest.productID, by: transfer.rule, in: &tables)
        }
        _ = try account.close(in: &tables)
        entries += account.entries
        entries += try appendEntries(of: transfer, chains, to: owner, in: &tables)
        let moved = Set(facts.compactMap { $0.transaction.map { TransactionKey($0) } })
        for item in try tables.unfinished(of: owner) where moved.contains(item.key) {
            try tables.markDelivery(of: item.key, as: nil)
        }
        try append(transfer.events[owner], about: owner, in: &tables)
        var subjects = chains.map { BindingSubject.chain($0) }
        if case .token = transfer.subject { subjects.append(transfer.subject) }
        // A token that is the owner's id has no binding until it moves.
        for subject in subjects where try tables.holder(of: subject) == owner {
            try tables.release(subject, of: owner)
        }

        try advance(recipient, by: transfer, in: &tables)
        for subject in subjects { try tables.bind(subject, to: recipient, at: transfer.at) }
        for fact in facts { _ = try tables.insert(fact, learnedAt: transfer.at) }
        var received = Account(customer: recipient, at: transfer.at)
        for (key, newest) in purchases {
            try received.adjust(key, newest: newest, isFresh: false, by: transfer.rule, in: &tables)
        }
        _ = try received.close(in: &tables)
        entries += received.entries
        entries += try appendEntries(of: transfer, chains, to: recipient, in: &tables)
        try append(transfer.events[recipient], about: recipient, in: &tables)

        return .moved(chains: chains, entries: entries)
    }

    /// Writes the row of a customer with a new version.
    private static func advance(
        _ customer: CustomerID, by transfer: OwnershipTransfer, in tables: inout some VaultTables
    ) throws(VaultError) {
        var row = if let known = try tables.customer(customer) { known } else { try newRow(of: customer, in: tables) }
        try row.advance()
        row.wakeAt = transfer.wakes[customer]
        // The changes that time has caused until now are among the events.
        row.evaluatedThrough = later(row.evaluatedThrough, transfer.at)
        try tables.setCustomer(row)
    }

    /// Returns the chains that move together with a chain or token.
    private static func chains(
        movingWith subject: BindingSubject, of owner: CustomerID, in tables: borrowing some VaultTables
    ) throws(VaultError) -> [ChainID] {
        switch subject {
        case .chain(let chain): return [chain]
        case .token(let token):
            var chains: [ChainID] = []
            for case .chain(let chain) in try tables.bindings(of: owner).map(\.subject)
            where try tables.token(of: chain)?.token == token {
                chains.append(chain)
            }
            return chains
        }
    }

    /// Returns the newest copies of the consumables among facts, in the order in which they were learned.
    private static func consumables(in facts: [VerifiedFact]) -> [(key: TransactionKey, newest: Transaction)] {
        var purchases: [(key: TransactionKey, newest: Transaction)] = []
        var places: [TransactionKey: Int] = [:]
        for transaction in facts.lazy.compactMap(\.transaction) where transaction.productType == .consumable {
            let key = TransactionKey(transaction)
            guard let place = places[key] else {
                places[key] = purchases.count
                purchases.append((key, transaction))
                continue
            }
            if CopyOrder.supersedes(transaction, purchases[place].newest) { purchases[place].newest = transaction }
        }
        return purchases
    }

    /// Records the transfer in a customer's account: an entry for each chain, and one for the token.
    private static func appendEntries(
        of transfer: OwnershipTransfer, _ chains: [ChainID], to customer: CustomerID,
        in tables: inout some VaultTables
    ) throws(VaultError) -> [LedgerEntry] {
        var subjects = chains.map { BindingSubject.chain($0) }
        if case .token = transfer.subject { subjects.append(transfer.subject) }
        var entries: [LedgerEntry] = []
        for subject in subjects {
            entries.append(
                try tables.append(
                    LedgerDraft(
                        customer: customer, at: transfer.at, kind: .transfer, balance: "", change: 0, after: 0,
                        cause: .transfer(
                            subject, from: transfer.basis.owner, to: transfer.recipient, reason: transfer.reason),
                        recordedBy: transfer.recordedBy)))
        }
        return entries
    }

    private static func append(
        _ events: [StoreEvent.Change]?, about customer: CustomerID, in tables: inout some VaultTables
    ) throws(VaultError) {
        for event in events ?? [] { _ = try tables.append(event, about: customer) }
    }
}

extension TransactionalVault {
    /// Returns the first parked facts that were presented for a customer and belong to another customer.
    package func parked(broughtBy claimant: CustomerID, limit: Int) async throws(VaultError) -> [ParkedFact] {
        try await read([.parkedClaims(by: claimant)]) { tables throws(VaultError) in
            try tables.parked(broughtBy: claimant, limit: limit)
        }
    }

    /// Returns the owner of a chain or token that a customer is to receive; see ``VaultRules``.
    package func basis(
        ofMoving subject: BindingSubject, to recipient: CustomerID
    ) async throws(VaultError) -> OwnershipTransfer.Basis? {
        try await read(Footprint(of: subject, for: recipient, accountTokens: accountTokens)) {
            tables throws(VaultError) in
            try VaultRules.basis(ofMoving: subject, to: recipient, in: tables)
        }
    }

    /// Moves a chain or token from its owner to another customer.
    package func transfer(_ transfer: OwnershipTransfer) async throws(VaultError) -> TransferOutcome {
        try await write(Footprint(of: transfer, accountTokens: accountTokens)) { tables throws(VaultError) in
            try VaultRules.transfer(transfer, in: &tables)
        }
    }
}
