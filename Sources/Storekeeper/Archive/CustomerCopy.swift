/// The data of a customer that is copied to another vault: the archive, outstanding deliveries, pending purchases and
/// events.
package struct CustomerCopy: Sendable {
    /// Facts, bindings and the account.
    let archive: CustomerArchive
    /// The version of the customer in the vault from which the data was read.
    let version: Int64
    /// The balances, by name.
    let balances: [Balance]
    /// The transactions that have yet to be delivered or finished, oldest first.
    let unfinished: [OutboxItem]
    /// The purchases that wait for approval.
    let pending: [PendingPurchase]
    /// The events, in the order in which they were written.
    let events: [StoreEvent.Change]

    /// The account's entries in order of number, without their positions in the feed, which differ between vaults.
    var entries: [LedgerEntry] {
        archive.rows.compactMap { row in if case .entry(let entry) = row { entry.placed(at: .start) } else { nil } }
    }

    /// The instant at which each fact was learned, by the compact JWS of the fact.
    ///
    /// The facts are compared without their order, because evidence that belongs to two customers has only one
    /// position in the feed: the position at which it was first learned.
    private var facts: [String: Instant] {
        Dictionary(archive.learned.map { ($0.fact.jws.compact, $0.learnedAt) }) { first, _ in first }
    }

    /// The instant at which each chain or token was bound to the customer.
    private var bindings: [BindingSubject: Instant] {
        var bindings: [BindingSubject: Instant] = [:]
        for case .binding(let subject, let at) in archive.rows { bindings[subject] = at }
        return bindings
    }

    // MARK: Comparing

    /// Returns a description of the differences between this data and another vault's data; `nil` if the data is the
    /// same.
    ///
    /// The comparison ignores the dates at which evidence was parked, and the claims that were refused.
    func difference(from source: CustomerCopy) -> String? {
        var parts: [String] = []
        func compare(_ what: String, _ isSame: Bool) { if !isSame { parts.append(what) } }
        let (own, theirs) = (entries, source.entries)
        compare("facts (\(facts.count) instead of \(source.facts.count))", facts == source.facts)
        compare("bindings", bindings == source.bindings)
        compare("entries (\(own.count) instead of \(theirs.count))", Self.areSame(own, theirs))
        compare("the last entry of the account", own.last?.number == theirs.last?.number)
        compare("balances", balances == source.balances)
        compare("deliveries", unfinished == source.unfinished)
        compare("pending purchases", pending == source.pending)
        compare("events (\(events.count) instead of \(source.events.count))", events == source.events)
        compare(
            "the dates of the last read and announcement",
            archive.evaluatedThrough == source.archive.evaluatedThrough
                && archive.syncedAt == source.archive.syncedAt)
        return parts.isEmpty ? nil : "differs in \(parts.joined(separator: ", "))"
    }

    /// Returns whether another vault's data begins with this data, so that only the rest has to be appended.
    func isPrefix(of source: CustomerCopy) -> Bool {
        let (own, theirs) = (entries, source.entries)
        let (facts, bindings) = (source.facts, source.bindings)
        return own.count <= theirs.count && Self.areSame(own, Array(theirs.prefix(own.count)))
            && self.facts.allSatisfy { facts[$0.key] == $0.value }
            && self.bindings.allSatisfy { bindings[$0.key] == $0.value } && source.events.starts(with: events)
    }

    /// Returns whether two lists of entries are equal in every byte.
    private static func areSame(_ left: [LedgerEntry], _ right: [LedgerEntry]) -> Bool {
        left.map { PackedRow($0) } == right.map { PackedRow($0) }
    }
}

extension TransactionalVault {
    /// Returns all data of a customer; for an unknown customer, an empty copy with version 0.
    func copy(of customer: CustomerID) async throws(VaultError) -> CustomerCopy {
        let record = try await load(customer)
        var events: [StoreEvent.Change] = []
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
