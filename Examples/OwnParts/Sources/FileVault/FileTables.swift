import Foundation
import Storekeeper

/// The tables of a ``FileVault``: plain collections of rows, read from end to end.
package struct FileTables: VaultTables, Codable {
    private var lastSequence: Int64 = 0
    private var customers: [Name: CustomerNote] = [:]
    private var bindings: [BindingRow] = []
    private var attempts: [SubjectRow: Int] = [:]
    private var facts: [FactRow] = []
    private var parkedFacts: [FactRow] = []
    private var entries: [EntryRow] = []
    private var balances: [Name: [BalanceRow]] = [:]
    private var events: [EventRow] = []
    private var outbox: [OutboxRow] = []
    private var pendingPurchases: [Name: [PendingRow]] = [:]
    private var notifications: Set<Name> = []
    private var cursors: [Name: String] = [:]
    private var erasureRows: [ErasureRow] = []

    private mutating func nextSequence() -> Int64 {
        lastSequence += 1
        return lastSequence
    }
}

// MARK: - Customers

extension FileTables {
    package func customer(_ id: CustomerID) -> CustomerRow? {
        customers[Name(id)].map { note in
            CustomerRow(
                id: id, version: note.version, evaluatedThrough: note.evaluatedThrough.map(Instant.init(clamped:)),
                syncedAt: note.syncedAt.map(Instant.init(clamped:)), wakeAt: note.wakeAt.map(Instant.init(clamped:)))
        }
    }

    package mutating func setCustomer(_ row: CustomerRow) {
        customers[Name(row.id)] = CustomerNote(
            version: row.version, evaluatedThrough: row.evaluatedThrough?.millisecondsSince1970,
            syncedAt: row.syncedAt?.millisecondsSince1970, wakeAt: row.wakeAt?.millisecondsSince1970)
    }

    package func customers(after previous: CustomerID?, limit: Int) -> [CustomerID] {
        customers.keys.sorted().filter { $0 > previous.map(Name.init) ?? Name("") }.prefix(limit)
            .map { CustomerID(rawValue: $0.text) }
    }

    package func earliestWake() -> (customer: CustomerID, at: Instant)? {
        let wakes = customers.compactMap { id, note in note.wakeAt.map { (at: $0, id: id) } }
        return wakes.min { ($0.at, $0.id) < ($1.at, $1.id) }.map {
            (CustomerID(rawValue: $0.id.text), Instant(clamped: $0.at))
        }
    }
}

// MARK: - Bindings

extension FileTables {
    package func holder(of subject: BindingSubject) -> CustomerID? {
        let row = SubjectRow(subject)
        return bindings.first { $0.subject == row }.map { CustomerID(rawValue: $0.customer.text) }
    }

    package mutating func bind(_ subject: BindingSubject, to customer: CustomerID, at instant: Instant) {
        bindings.append(
            BindingRow(
                sequence: nextSequence(), subject: SubjectRow(subject), customer: Name(customer),
                at: instant.millisecondsSince1970))
    }

    package func holders(environment: AppStore.Environment, originalID: Transaction.ID) -> [CustomerID] {
        bindings.filter { row in
            guard case .chain(_, Name(environment.rawValue), Name(originalID.rawValue)) = row.subject else {
                return false
            }
            return true
        }.map { CustomerID(rawValue: $0.customer.text) }
    }

    package func chains(originalID: Transaction.ID) throws(VaultError) -> [ChainID] {
        var found: Set<ChainID> = []
        for row in facts + parkedFacts {
            let transaction = try row.fact().transaction
            if let transaction, transaction.originalID == originalID { found.insert(ChainID(transaction)) }
        }
        for case .chain(let chain) in bindings.map(\.subject.subject) where chain.originalID == originalID {
            found.insert(chain)
        }
        return found.sorted {
            (Name($0.bundleID), Name($0.environment.rawValue)) < (Name($1.bundleID), Name($1.environment.rawValue))
        }
    }

    package func bindings(of customer: CustomerID) -> [Binding] {
        bindings.filter { $0.customer == Name(customer) }.map {
            Binding(
                sequence: $0.sequence, subject: $0.subject.subject, customer: customer, at: Instant(clamped: $0.at))
        }
    }

    package mutating func countAttempt(
        on subject: BindingSubject, by claimant: CustomerID, at instant: Instant
    ) -> Int {
        attempts[SubjectRow(subject), default: 0] += 1
        return attempts(on: subject)
    }

    package func attempts(on subject: BindingSubject) -> Int { attempts[SubjectRow(subject)] ?? 0 }
}

// MARK: - Facts

extension FileTables {
    /// Two facts are the same where their signed content is; one content may be signed twice.
    private static func hasContent(_ jws: CompactJWS) -> (FactRow) -> Bool {
        { row in CompactJWS(row.jws)?.payload == jws.payload }
    }

    package mutating func insert(_ fact: VerifiedFact, learnedAt: Instant) -> Int64? {
        if facts.contains(where: Self.hasContent(fact.jws)) { return nil }
        let sequence = nextSequence()
        facts.append(FactRow(sequence: sequence, at: learnedAt.millisecondsSince1970, jws: fact.jws.compact))
        return sequence
    }

    private func holder(of fact: VerifiedFact) -> CustomerID? {
        switch fact.content {
        case .transaction(let transaction): holder(of: .chain(ChainID(transaction)))
        case .renewalInfo(let info):
            holders(environment: info.environment, originalID: info.originalTransactionID).first
        }
    }

    package func facts(
        after sequence: Int64, of customer: CustomerID?, limit: Int
    ) throws(VaultError) -> [StoredFact] {
        var found: [StoredFact] = []
        for row in facts where row.sequence > sequence && found.count < limit {
            let fact = try row.fact()
            var holder = holder(of: fact)
            if let customer, let info = fact.renewalInfo {
                let holders = holders(environment: info.environment, originalID: info.originalTransactionID)
                holder = holders.first { $0 == customer }
            }
            guard customer == nil || holder == customer else { continue }
            found.append(
                StoredFact(sequence: row.sequence, customer: holder, learnedAt: Instant(clamped: row.at), fact: fact))
        }
        return found
    }

    package func copies(of key: TransactionKey) throws(VaultError) -> [Transaction] {
        var copies: [Transaction] = []
        for row in facts {
            if let transaction = try row.fact().transaction, TransactionKey(transaction) == key {
                copies.append(transaction)
            }
        }
        return copies
    }

    package func token(of chain: ChainID) throws(VaultError) -> (token: UUID, signedAt: Instant)? {
        var newest: (token: UUID, signedAt: Instant)?
        for row in facts {
            guard let transaction = try row.fact().transaction, ChainID(transaction) == chain,
                let token = transaction.appAccountToken
            else { continue }
            let next = (token: token, signedAt: transaction.signedAt)
            if let known = newest,
                (known.signedAt, known.token.uuidString) >= (next.signedAt, next.token.uuidString)
            {
                continue
            }
            newest = next
        }
        return newest
    }
}

// MARK: - Parked evidence

extension FileTables {
    package mutating func park(_ fact: ParkedFact, claimant: CustomerID?) -> Bool {
        if parkedFacts.contains(where: Self.hasContent(fact.fact.jws)) { return false }
        parkedFacts.append(
            FactRow(
                sequence: nextSequence(), at: fact.since.millisecondsSince1970, jws: fact.fact.jws.compact,
                reason: fact.reason.rawValue))
        return true
    }

    package func parked() throws(VaultError) -> [ParkedFact] {
        var found: [ParkedFact] = []
        for row in parkedFacts {
            let reason = row.reason.flatMap(ParkedFact.Reason.init) ?? .unclaimed
            found.append(ParkedFact(since: Instant(clamped: row.at), reason: reason, fact: try row.fact()))
        }
        return found
    }

    package func parked(heldBy customer: CustomerID) throws(VaultError) -> [ParkedFact] {
        try parked().filter { parked in
            if holder(of: parked.fact) == customer { return true }
            guard let transaction = parked.fact.transaction, let token = transaction.appAccountToken,
                holder(of: .chain(ChainID(transaction))) == nil
            else { return false }
            return holder(of: .token(token)) ?? CustomerID(rawValue: token.uuidString) == customer
        }
    }

    package mutating func unpark(_ fact: VerifiedFact) { parkedFacts.removeAll(where: Self.hasContent(fact.jws)) }
}

// MARK: - Accounts

extension FileTables {
    package mutating func append(_ entry: LedgerDraft) throws(VaultError) -> LedgerEntry {
        var row = EntryRow(
            sequence: nextSequence(), customer: Name(entry.customer), at: entry.at.millisecondsSince1970,
            kind: entry.kind.rawValue, balance: Name(entry.balance), change: entry.change, after: entry.after)
        switch entry.cause {
        case .transaction(let key, let productID, let target):
            (row.transaction, row.productID, row.target) = (KeyRow(key), productID, target)
        case .request(let key, let reason): (row.key, row.reason) = (Name(key), reason)
        }
        entries.append(row)
        return try row.entry()
    }

    private func entries(where isWanted: (EntryRow) -> Bool) throws(VaultError) -> [LedgerEntry] {
        var found: [LedgerEntry] = []
        for row in entries where isWanted(row) { found.append(try row.entry()) }
        return found
    }

    package func entries(causedBy key: TransactionKey) throws(VaultError) -> [LedgerEntry] {
        let row = KeyRow(key)
        return try entries { $0.transaction == row }
    }

    package func entry(of customer: CustomerID, key: String) throws(VaultError) -> LedgerEntry? {
        try entries { $0.customer == Name(customer) && $0.key == Name(key) }.first
    }

    package func entries(
        after sequence: Int64, of customer: CustomerID?, limit: Int
    ) throws(VaultError) -> [LedgerEntry] {
        let found = try entries { row in
            row.sequence > sequence && (customer == nil || row.customer == customer.map(Name.init))
        }
        return Array(found.prefix(limit))
    }

    package func lastEntry(of customer: CustomerID) -> Int64 {
        entries.last { $0.customer == Name(customer) }?.sequence ?? 0
    }

    package func balance(_ id: String, of customer: CustomerID) -> Balance? {
        balances[Name(customer)]?.first { $0.id == Name(id) }?.balance
    }

    package func balances(of customer: CustomerID) -> [Balance] {
        (balances[Name(customer)] ?? []).sorted { $0.id < $1.id }.map(\.balance)
    }

    package mutating func setBalance(_ balance: Balance, of customer: CustomerID) {
        balances[Name(customer), default: []].removeAll { $0.id == Name(balance.id) }
        balances[Name(customer), default: []].append(BalanceRow(balance))
    }
}

// MARK: - Events, deliveries, notes

extension FileTables {
    package mutating func append(_ change: StoreEvent.Draft, about customer: CustomerID) -> StoreEvent {
        let row = EventRow(change, sequence: nextSequence(), customer: customer)
        events.append(row)
        return row.event
    }

    package func events(after sequence: Int64, of customer: CustomerID?, limit: Int) -> [StoreEvent] {
        events.lazy.filter { $0.sequence > sequence && (customer == nil || $0.customer == customer.map(Name.init)) }
            .prefix(limit).map(\.event)
    }

    package mutating func owe(_ item: OutboxItem) -> Bool {
        let key = KeyRow(item.key)
        if outbox.contains(where: { $0.key == key }) { return false }
        outbox.append(OutboxRow(key: key, customer: Name(item.customer), state: item.state.rawValue))
        return true
    }

    package func unfinished(of customer: CustomerID?) -> [OutboxItem] {
        outbox.filter { customer == nil || $0.customer == customer.map(Name.init) }.compactMap(\.item)
    }

    package mutating func settle(_ key: TransactionKey, as state: OutboxItem.State?) {
        let row = KeyRow(key)
        for index in outbox.indices where outbox[index].key == row { outbox[index].state = state?.rawValue }
    }

    package func pending(of customer: CustomerID) -> [PendingPurchase] {
        (pendingPurchases[Name(customer)] ?? []).compactMap(\.pending)
    }

    package mutating func setPending(_ pending: [PendingPurchase], of customer: CustomerID) {
        pendingPurchases[Name(customer)] = pending.map(PendingRow.init)
    }

    package mutating func insert(notification uuid: String, at instant: Instant) -> Bool {
        notifications.insert(Name(uuid)).inserted
    }

    package func cursor(of backend: String) -> UpdateCursor? {
        cursors[Name(backend)].map(UpdateCursor.init(rawValue:))
    }

    package mutating func setCursor(_ cursor: UpdateCursor, of backend: String) {
        cursors[Name(backend)] = cursor.rawValue
    }
}

// MARK: - Erasure

extension FileTables {
    package mutating func erase(
        _ customer: CustomerID, reason: String, at instant: Instant
    ) throws(VaultError) -> Erasure {
        let gone = Set(try facts(after: 0, of: customer, limit: .max).map(\.sequence))
        facts.removeAll { gone.contains($0.sequence) }
        let forgotten = try parked(heldBy: customer)
        for parked in forgotten { unpark(parked.fact) }
        let emptied = entries.count { $0.customer == Name(customer) }
        entries.removeAll { $0.customer == Name(customer) }
        events.removeAll { $0.customer == Name(customer) }
        bindings.removeAll { $0.customer == Name(customer) }
        outbox.removeAll { $0.customer == Name(customer) }
        (customers[Name(customer)], balances[Name(customer)]) = (nil, nil)
        pendingPurchases[Name(customer)] = nil
        let row = ErasureRow(
            sequence: nextSequence(), customer: Name(customer), at: instant.millisecondsSince1970, reason: reason,
            facts: gone.count, entries: emptied)
        erasureRows.append(row)
        return row.erasure
    }

    package func erasures(of customer: CustomerID) -> [Erasure] {
        erasureRows.filter { $0.customer == Name(customer) }.map(\.erasure)
    }
}
