/// The data of a customer that another vault can restore.
///
/// An archive includes facts with their signatures, the account, bindings and parked evidence. It omits data that is
/// useful only in the original vault: events, outstanding deliveries, the cursors of backends and proofs of erasure.
package struct CustomerArchive: Sendable {
    /// A stored item: a binding, a fact or an entry of the account.
    package enum Row: Sendable {
        /// A chain or token was bound to the customer.
        case binding(BindingSubject, at: Instant)
        /// Verified evidence was learned.
        case fact(VerifiedFact, learnedAt: Instant)
        /// An entry was appended to the account.
        case entry(LedgerEntry)
    }

    /// The customer; `nil` for facts and parked evidence without an owner.
    package var customer: CustomerID?
    /// When the App Store's whole history of the customer was last read, in UTC.
    package var syncedAt: Instant?
    /// The last instant, in UTC, up to which changes caused by time, such as the end of a period, have been announced.
    package var evaluatedThrough: Instant?
    /// The rows, in the order in which they were written.
    package var rows: [Row]
    /// The parked evidence; empty unless ``customer`` is `nil`.
    package var parked: [ParkedFact]

    /// Creates an archive.
    package init(
        customer: CustomerID?, syncedAt: Instant? = nil, evaluatedThrough: Instant? = nil, rows: [Row] = [],
        parked: [ParkedFact] = []
    ) {
        self.customer = customer
        self.syncedAt = syncedAt
        self.evaluatedThrough = evaluatedThrough
        self.rows = rows
        self.parked = parked
    }

    /// The facts, each with the instant at which it was learned, in the order of the rows.
    var learned: [(fact: VerifiedFact, learnedAt: Instant)] {
        rows.compactMap { row in
            if case .fact(let fact, let learnedAt) = row { (fact, learnedAt) } else { nil }
        }
    }

    /// The facts, in the order of the rows.
    var facts: [VerifiedFact] { learned.map(\.fact) }
}

extension TransactionalVault {
    /// The maximum number of rows in a page that is read from the vault.
    private static var pageSize: Int { 1_000 }

    /// Returns the archive of a customer.
    package func archive(of customer: CustomerID) async throws(VaultError) -> CustomerArchive {
        try await archive(of: customer, record: try await load(customer))
    }

    /// Returns the archive of a customer, made from the customer's loaded record.
    func archive(of customer: CustomerID, record: CustomerRecord) async throws(VaultError) -> CustomerArchive {
        var rows: [(place: FeedPlace, row: CustomerArchive.Row)] = []
        for binding in try await bindings(of: customer) {
            rows.append((binding.place, .binding(binding.subject, at: binding.at)))
        }
        for stored in record.facts { rows.append((stored.place, .fact(stored.fact, learnedAt: stored.learnedAt))) }
        for entry in try await account(of: customer, through: record.lastEntry.number) {
            rows.append((entry.place, .entry(entry)))
        }
        rows.sort { $1.place.isAfter($0.place) }
        return CustomerArchive(
            customer: customer, syncedAt: record.syncedAt, evaluatedThrough: record.evaluatedThrough,
            rows: rows.map(\.row))
    }

    /// Passes the evidence without an owner to a closure: facts of chains without an owner, and parked evidence.
    ///
    /// - Parameters:
    ///   - size: The maximum number of rows in an archive.
    ///   - body: The closure that receives one archive after another. No archive is empty, and usually one archive
    ///     contains everything.
    package func unownedArchives(
        ofAtMost size: Int = 10_000, _ body: (CustomerArchive) async throws(VaultError) -> Void
    ) async throws(VaultError) {
        var archive = CustomerArchive(customer: nil)
        func flush(ifMoreThan count: Int) async throws(VaultError) {
            guard archive.rows.count + archive.parked.count > count else { return }
            try await body(archive)
            archive = CustomerArchive(customer: nil)
        }
        let limit = max(1, min(size, Self.pageSize))
        var place = FeedPlace.start
        while true {
            let page = try await facts(after: place, of: nil, limit: limit)
            for stored in page where stored.customer == nil {
                archive.rows.append(.fact(stored.fact, learnedAt: stored.learnedAt))
            }
            try await flush(ifMoreThan: size - limit)
            guard page.count == limit, let last = page.last else { break }
            place = last.place
        }
        var start: FeedPlace? = .start
        while let place = start {
            let page = try await parked(after: place, limit: limit)
            archive.parked += page.rows
            try await flush(ifMoreThan: size - limit)
            start = page.next
        }
        try await flush(ifMoreThan: 0)
    }

    /// Returns the entries of a customer's account, in order of number.
    ///
    /// - Parameters:
    ///   - customer: The owner of the account.
    ///   - last: The number of the last entry to read.
    package func account(of customer: CustomerID, through last: Int64 = .max) async throws(VaultError) -> [LedgerEntry]
    {
        var account: [LedgerEntry] = []
        var place = FeedPlace.start
        while true {
            let page = try await entries(after: place, of: customer, limit: Self.pageSize)
            account += page.prefix { $0.number <= last }
            guard page.count == Self.pageSize, let end = page.last, end.number < last else { return account }
            place = end.place
        }
    }
}
