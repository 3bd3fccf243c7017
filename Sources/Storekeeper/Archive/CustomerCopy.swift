/// What a vault holds of a customer, as a copy brings it into another vault: the archive, and beside it what is owed and
/// what waits, and the events.
package struct CustomerCopy: Sendable {
    /// Facts, bindings and the account.
    let archive: CustomerArchive
    /// Counts what was written about the customer in the vault that this was read from.
    let version: Int64
    /// The balances, by name.
    let balances: [Balance]
    /// What is owed a delivery or a `finish`, oldest first.
    let unfinished: [OutboxItem]
    /// The purchases that wait for approval.
    let pending: [PendingPurchase]
    /// The events, in the order in which they were written.
    let events: [StoreEvent.Draft]

    /// The entries, in the order of their numbers, without the places that each vault gives them.
    var entries: [LedgerEntry] {
        archive.rows.compactMap { row in if case .entry(let entry) = row { entry.unplaced } else { nil } }
    }

    /// The facts and when they were learned.
    ///
    /// In no order: a renewal info that belongs to two customers stands where it came first.
    private var facts: [String: Instant] {
        Dictionary(archive.learned.map { ($0.fact.jws.compact, $0.learnedAt) }) { first, _ in first }
    }

    /// What is the customer's and since when.
    private var bindings: [BindingSubject: Instant] {
        var bindings: [BindingSubject: Instant] = [:]
        for case .binding(let subject, let at) in archive.rows { bindings[subject] = at }
        return bindings
    }

    // MARK: Comparing

    /// What differs from what another vault holds of the customer, in words; `nil` where all is the same.
    ///
    /// Since when something was parked, and which claims were refused, is not compared.
    func difference(from source: CustomerCopy) -> String? {
        var parts: [String] = []
        func compare(_ what: String, _ isSame: Bool) { if !isSame { parts.append(what) } }
        let (own, theirs) = (entries, source.entries)
        compare("facts (\(facts.count) in place of \(source.facts.count))", facts == source.facts)
        compare("bindings", bindings == source.bindings)
        compare("entries (\(own.count) in place of \(theirs.count))", Self.areSame(own, theirs))
        compare("the end of the account", own.last?.number == theirs.last?.number)
        compare("balances", balances == source.balances)
        compare("what is owed", unfinished == source.unfinished)
        compare("what waits for approval", pending == source.pending)
        compare("events (\(events.count) in place of \(source.events.count))", events == source.events)
        compare(
            "up to when all was announced or read",
            archive.evaluatedThrough == source.archive.evaluatedThrough
                && archive.syncedAt == source.archive.syncedAt)
        return parts.isEmpty ? nil : "differs in \(parts.joined(separator: ", "))"
    }

    /// Whether this is a part of what another vault holds, so that the rest can be written behind it.
    func isBegun(of source: CustomerCopy) -> Bool {
        let (own, theirs) = (entries, source.entries)
        let (facts, bindings) = (source.facts, source.bindings)
        return own.count <= theirs.count && Self.areSame(own, Array(theirs.prefix(own.count)))
            && self.facts.allSatisfy { facts[$0.key] == $0.value }
            && self.bindings.allSatisfy { bindings[$0.key] == $0.value } && source.events.starts(with: events)
    }

    /// Whether entries are the same to the byte.
    private static func areSame(_ left: [LedgerEntry], _ right: [LedgerEntry]) -> Bool {
        left.count == right.count && zip(left, right).allSatisfy { $0 == $1 && $0.texts == $1.texts }
    }
}

extension LedgerEntry {
    /// The entry without its place.
    fileprivate var unplaced: LedgerEntry {
        LedgerEntry(
            place: .start, number: number, customer: customer, at: at, kind: kind, balance: balance, change: change,
            after: after, cause: cause, recordedBy: recordedBy)
    }

    /// What it holds that two entries may spell in different bytes.
    fileprivate var texts: [ByteIdentifier<LedgerEntry>] {
        guard case .request(_, let reason) = cause else { return [] }
        return [ByteIdentifier(reason ?? ""), ByteIdentifier(recordedBy ?? "")]
    }
}

extension Vault {
    /// Reads what is held of a customer; of one that nobody has heard of, a copy of version 0.
    func copy(of customer: CustomerID) async throws(VaultError) -> CustomerCopy {
        let record = try await load(customer)
        var events: [StoreEvent.Draft] = []
        var place = FeedPlace.start
        while true {
            let page = try await self.events(after: place, of: customer, limit: 1_000)
            events += page.map(\.change)
            guard page.count == 1_000, let last = page.last else { break }
            place = last.place
        }
        return CustomerCopy(
            archive: try await archive(of: customer, record: record), version: record.version,
            balances: record.balances, unfinished: record.unfinished, pending: record.pending, events: events)
    }
}
