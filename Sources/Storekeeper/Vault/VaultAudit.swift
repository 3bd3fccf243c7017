/// Checks the signatures, owners, entries and balances of a vault.
///
/// Every fact must have a valid signature. Every transaction and app transaction must have an owner. Every chain and
/// token in a customer's list of bindings must belong to that customer. Every entry must be caused by a fact or a
/// request, and every balance must be the sum of its entries. An audit only reads. It needs memory for one page of rows
/// and for one customer, however large the vault is.
///
/// Other callers can write during an audit without waiting, because each customer is read in a separate step. If the
/// totals of the vault and of its customers differ, for example because a customer was erased meanwhile, all rows are
/// counted again in one step.
///
/// ```swift
/// let report = try await VaultAudit(vault: vault, verifier: verifier).run()
/// for fault in report.faults { print(fault.kind, fault.subject, fault.message) }
/// ```
public struct VaultAudit: Sendable {
    private let vault: any TransactionalVault
    private let verifier: any TransactionVerifier
    private let pageSize: Int

    /// Creates an audit.
    ///
    /// - Parameters:
    ///   - vault: The vault to check.
    ///   - verifier: The verifier of the signatures. The audit reports invalid signatures, untrusted certificates and
    ///     unreadable texts as faults of the vault. A refused environment, another app or an unknown revocation status
    ///     is not a fault.
    ///   - pageSize: The number of rows read at once; at least 1.
    public init(vault: any Vault, verifier: any TransactionVerifier, pageSize: Int = 1_000) {
        self.vault = vault.implementation.vault
        self.verifier = verifier
        self.pageSize = max(1, pageSize)
    }

    /// Checks the whole vault.
    ///
    /// - Parameters:
    ///   - head: The head of an earlier report of this vault, which must still be in the vault's hash chain; `nil`
    ///     skips this check.
    ///   - onProgress: The closure that is called occasionally with the number of facts that were checked since the
    ///     last call. A transaction with an owner is counted twice: when its signature is checked, and when its
    ///     customer is checked. Other facts and parked facts are counted once.
    /// - Throws: ``VaultError`` if the vault cannot be read.
    public func run(
        containing head: String? = nil, onProgress: (Int) -> Void = { _ in }
    ) async throws(VaultError) -> AuditReport {
        var report = AuditReport()
        let facts = try await checkFacts(&report, onProgress)
        try await checkParked(&report, onProgress)
        let entries = try await countEntries(&report)
        var (ownFacts, ownEntries) = (0, 0)
        var previous: CustomerID?
        while true {
            let page = try await vault.customers(after: previous, limit: pageSize)
            guard let last = page.last else { break }
            previous = last
            for customer in page {
                let account = try await audit(
                    customer, in: vault, factsThrough: facts.last, entriesThrough: entries.last)
                report.add(account.report)
                onProgress(account.earlyFacts)
                ownFacts += account.earlyFacts
                ownEntries += account.earlyEntries
            }
        }
        var counts = Counts(facts: facts.count, ownFacts: ownFacts, entries: entries.count, ownEntries: ownEntries)
        // A customer may have been erased between the steps, which makes the counts differ.
        if !counts.agree {
            let vault = vault
            if vault.listsInSteps {
                counts = try await countAtOnce(in: vault)
            } else if vault.findsStrays {
                counts = Counts()
            }
        }
        report.faults += counts.faults
        let integrity = try await vault.checkIntegrity(containing: head)
        report.links = integrity.links
        report.head = integrity.head
        report.faults += integrity.faults
        report.sortFaults()
        return report
    }

    /// Checks the signature of every fact, and that every transaction and app transaction has an owner.
    ///
    /// - Returns: The number of transactions with an owner, and the place of the last fact.
    private func checkFacts(
        _ report: inout AuditReport, _ onProgress: (Int) -> Void
    ) async throws(VaultError) -> (count: Int, last: FeedPlace) {
        var count = 0
        let last = try await forEachPage(at: \.place) { place async throws(VaultError) in
            try await vault.facts(after: place, of: nil, limit: pageSize)
        } body: { page, start in
            for stored in page {
                report.signatures += 1
                let subject = stored.fact.subject
                if !stored.place.isAfter(start) {
                    report.faults.append(VaultFault(.storage, subject, "the place \(stored.place) is out of order"))
                }
                if let error = verifier.verify(stored.fact.jws.compact).error, Self.isFault(error.code) {
                    report.faults.append(VaultFault(.signature, subject, error.message))
                }
                guard stored.fact.chain != nil else { continue }
                if stored.customer == nil {
                    report.faults.append(VaultFault(.binding, subject, "its chain has no owner"))
                } else if stored.fact.transaction != nil {
                    count += 1
                }
            }
            onProgress(page.count)
        }
        return (count, last)
    }

    /// Checks the signatures of parked facts, because parked facts count as soon as they are claimed.
    private func checkParked(
        _ report: inout AuditReport, _ onProgress: (Int) -> Void
    ) async throws(VaultError) {
        var place: FeedPlace? = .start
        while let start = place {
            let page = try await vault.parked(after: start, limit: pageSize)
            for parked in page.rows {
                report.signatures += 1
                guard let error = verifier.verify(parked.fact.jws.compact).error, Self.isFault(error.code) else {
                    continue
                }
                report.faults.append(VaultFault(.signature, parked.fact.subject, error.message))
            }
            onProgress(page.rows.count)
            place = page.next
        }
    }

    /// Returns whether a verification error means that a stored text was not signed by the App Store.
    private static func isFault(_ code: VerificationError.Code) -> Bool {
        ![.environmentRefused, .bundleMismatch, .appMismatch, .revocationUnknown].contains(code)
    }

    private func countEntries(_ report: inout AuditReport) async throws(VaultError) -> (count: Int, last: FeedPlace) {
        var count = 0
        let last = try await forEachPage(at: \.place) { place async throws(VaultError) in
            try await vault.entries(after: place, of: nil, limit: pageSize)
        } body: { page, start in
            count += page.count
            if let end = page.last, !end.place.isAfter(start) {
                report.faults.append(VaultFault(.storage, "entry \(end.place)", "it is out of order"))
            }
        }
        return (count, last)
    }

    /// Reads pages until a page is not full, or does not end after the previous page.
    ///
    /// Rows after a page that is not full are newer than the audit. With a constant stream of writes, reading such rows
    /// would never end.
    ///
    /// - Returns: The place of the last row.
    private func forEachPage<Row>(
        at place: KeyPath<Row, FeedPlace>, _ read: (FeedPlace) async throws(VaultError) -> [Row],
        body: (_ page: [Row], _ start: FeedPlace) -> Void
    ) async throws(VaultError) -> FeedPlace {
        var last = FeedPlace.start
        while true {
            let page = try await read(last)
            guard let end = page.last?[keyPath: place] else { return last }
            body(page, last)
            guard end.isAfter(last) else { return last }
            last = end
            if page.count < pageSize { return last }
        }
    }

    /// Checks the rows of one customer in one step, so that all rows are from the same moment.
    private func audit(
        _ customer: CustomerID, in vault: some TransactionalVault, factsThrough lastFact: FeedPlace,
        entriesThrough lastEntry: FeedPlace
    ) async throws(VaultError) -> AccountAudit {
        let pageSize = pageSize
        return try await vault.read { tables throws(VaultError) in
            var account = AccountAudit(customer: customer)
            try tables.forEachFact(of: customer, pageSize: pageSize) { fact in
                account.check(fact, isEarly: !fact.place.isAfter(lastFact))
            }
            try tables.forEachEntry(of: customer, pageSize: pageSize) { entry in
                account.check(entry, isEarly: !entry.place.isAfter(lastEntry))
            }
            try account.close(in: tables)
            return account
        }
    }
}

/// The numbers of owned transactions and of entries in the whole vault, and the sums of these numbers over all
/// customers.
private struct Counts: Sendable {
    var facts = 0
    var ownFacts = 0
    var entries = 0
    var ownEntries = 0

    var agree: Bool { facts == ownFacts && entries == ownEntries }

    var faults: [VaultFault] {
        var faults: [VaultFault] = []
        if ownFacts != facts {
            faults.append(
                VaultFault(
                    .binding, "facts",
                    "\(facts) transactions have an owner, but the customers have \(ownFacts) of them"))
        }
        if ownEntries != entries {
            faults.append(
                VaultFault(
                    .entry, "entries", "there are \(entries) entries, but the customers have \(ownEntries)"))
        }
        return faults
    }
}

extension VaultAudit {
    /// Counts all rows in one step, so that all rows are from the same moment.
    private func countAtOnce(in vault: some TransactionalVault) async throws(VaultError) -> Counts {
        let pageSize = pageSize
        return try await vault.read { tables throws(VaultError) in
            func count(of customer: CustomerID?) throws(VaultError) -> (facts: Int, entries: Int) {
                var (facts, entries) = (0, 0)
                try tables.forEachFact(of: customer, pageSize: pageSize) { fact in
                    if fact.fact.transaction != nil, fact.customer != nil { facts += 1 }
                }
                try tables.forEachEntry(of: customer, pageSize: pageSize) { _ in entries += 1 }
                return (facts, entries)
            }
            var counts = Counts()
            (counts.facts, counts.entries) = try count(of: nil)
            var previous: CustomerID?
            while let customer = try tables.customers(after: previous, limit: 1).first {
                let own = try count(of: customer)
                counts.ownFacts += own.facts
                counts.ownEntries += own.entries
                previous = customer
            }
            return counts
        }
    }
}

extension VaultTables {
    /// Reads facts a page at a time.
    fileprivate func forEachFact(
        of customer: CustomerID?, pageSize: Int, _ body: (StoredFact) -> Void
    ) throws(VaultError) {
        try Self.forEachRow(at: \.place, body) { place throws(VaultError) in
            try facts(after: place, of: customer, limit: pageSize)
        }
    }

    /// Reads entries a page at a time.
    fileprivate func forEachEntry(
        of customer: CustomerID?, pageSize: Int, _ body: (LedgerEntry) -> Void
    ) throws(VaultError) {
        try Self.forEachRow(at: \.place, body) { place throws(VaultError) in
            try entries(after: place, of: customer, limit: pageSize)
        }
    }

    /// Reads pages until a page does not end after the previous page.
    private static func forEachRow<Row>(
        at place: KeyPath<Row, FeedPlace>, _ body: (Row) -> Void, _ page: (FeedPlace) throws(VaultError) -> [Row]
    ) throws(VaultError) {
        var end = FeedPlace.start
        while true {
            let rows = try page(end)
            guard let last = rows.last?[keyPath: place], last.isAfter(end) else { return }
            rows.forEach(body)
            end = last
        }
    }
}

/// The result of an audit.
public struct AuditReport: Hashable, Sendable {
    /// The number of signatures checked.
    public var signatures: Int
    /// The number of balances checked.
    public var sums: Int
    /// The number of chains and tokens checked.
    public var bindings: Int
    /// The number of checked links of the vault's hash chain; 0 for a vault without a hash chain.
    public var links: Int
    /// The hash of the newest link of the vault's hash chain, to be stored elsewhere; `nil` for a vault without a hash
    /// chain.
    package var head: String?
    /// The faults, in order of kind, subject and message.
    public var faults: [VaultFault]

    /// Creates a report.
    package init(
        signatures: Int = 0, sums: Int = 0, bindings: Int = 0, links: Int = 0, head: String? = nil,
        faults: [VaultFault] = []
    ) {
        self.signatures = signatures
        self.sums = sums
        self.bindings = bindings
        self.links = links
        self.head = head
        self.faults = faults
    }

    mutating func add(_ other: AuditReport) {
        signatures += other.signatures
        sums += other.sums
        bindings += other.bindings
        links += other.links
        faults += other.faults
    }

    mutating func sortFaults() {
        faults.sort { ($0.kind.rawValue, $0.subject, $0.message) < ($1.kind.rawValue, $1.subject, $1.message) }
    }
}

extension VerifiedFact {
    /// The subject of a fault.
    fileprivate var subject: String {
        (transaction?.id ?? purchase?.originalID)?.rawValue ?? ""
    }
}
