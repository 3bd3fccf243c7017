/// Copies one vault into another and verifies the copy.
///
/// The target must be empty or contain an earlier copy of the same vault. A note in the target identifies the source
/// vault. A copy that was stopped can be run again to continue. Each customer is copied in one atomic write. Data that
/// was copied before is not duplicated, and data that was written to the source in the meantime is added. If the target
/// has data of a customer that contradicts the source, the target's data is not changed, and the report names the
/// customer. The report also names customers who exist only in the target.
///
/// The copy contains facts, accounts with the numbers, dates and idempotency keys of their entries, bindings, parked
/// evidence, outstanding deliveries, pending purchases, events and the cursors of backends. It also contains the marks
/// of erased customers, so that nothing is credited twice. The target assigns new positions in its feed, in the same
/// order for each customer. The copy does not contain the proofs of erasure, which refer to the source's own hash
/// chain. It does not contain short-lived data either: leases, step ids and the ids of received notifications.
package struct VaultCopy: Sendable {
    /// A report on the progress of a copy.
    package enum Progress: Sendable {
        /// The copy began; the associated value is the number of customers to be copied and then verified.
        case began(customers: Int)
        /// One more customer was copied.
        case copied
        /// One more customer was verified.
        case verified
    }

    /// The backend name under which the target stores the note that identifies the source.
    static let noteName = "storekeeper vault copy"
    /// The number of customers that are processed concurrently, so that their data can be written to disk together.
    static let width = 16
    /// The number of customers in one page of a vault's list of customers.
    static let pageSize = 512
    /// The maximum number of attempts to copy a customer whose data other callers change at the same time.
    static let attempts = 5

    let source: any CopyableVault
    let target: any CopyableVault
    /// The current instant, in UTC.
    let instant: Instant

    /// Creates a copy; to carry it out, call ``run(onProgress:)``.
    ///
    /// - Parameters:
    ///   - source: The vault to read.
    ///   - target: The vault to write; no other process may write to the target during the copy.
    ///   - instant: The current instant, in UTC.
    package init(from source: any CopyableVault, to target: any CopyableVault, at instant: Instant) {
        self.source = source
        self.target = target
        self.instant = instant
    }

    /// Copies the source and verifies the copy.
    ///
    /// - Parameter onProgress: The closure that receives the progress.
    /// - Returns: The totals of the copy and its differences from the source.
    package func run(
        onProgress: (Progress) -> Void = { _ in }
    ) async throws(VaultCopyFailure) -> VaultCopyReport {
        try await begin()
        try await copyMarks()
        var report = VaultCopyReport()
        let customers = try await countCustomers()
        onProgress(.began(customers: customers))
        var list = CustomerList(of: source)
        while let page = try await fromSource({ () async throws(VaultError) in try await list.next(Self.pageSize) }) {
            try await forEach(page) { customer async throws(VaultCopyFailure) in
                try await appendMissing(customer)
            } then: { _, difference in
                onProgress(.copied)
                if let difference { report.differences.append(difference) }
            }
        }
        try await copyUnowned()
        try await verify(&report, onProgress)
        return report
    }

    // MARK: Beginning

    /// Checks that the source is undamaged and that the target is empty or a copy of the source.
    package func begin() async throws(VaultCopyFailure) {
        let known = try await inTarget { () async throws(VaultError) in
            try await target.cursor(of: Self.noteName)?.rawValue
        }
        if known == nil, try await inTarget({ () async throws(VaultError) in try await isInUse(target) }) {
            throw .targetInUse
        }
        let proof = try await fromSource { () async throws(VaultError) in try await source.checkIntegrity() }
        guard proof.faults.isEmpty else { throw .damagedSource(faults: proof.faults.count) }
        let head = proof.head ?? Self.unlinked
        guard let known else {
            try await inTarget { () async throws(VaultError) in
                try await target.setCursor(UpdateCursor(rawValue: head), of: Self.noteName)
            }
            return
        }
        if known == head { return }
        // Either the source has changed since the note was written, or the target is a copy of another vault.
        guard known != Self.unlinked, proof.head != nil else { throw .targetOfAnother }
        let again = try await fromSource { () async throws(VaultError) in
            try await source.checkIntegrity(containing: known)
        }
        guard again.faults.isEmpty else { throw .targetOfAnother }
    }

    /// The content of the note for a source without a hash chain, which has no newest hash that could identify it.
    private static let unlinked = "unlinked"

    /// Returns whether a vault has a customer, a fact, parked evidence or a cursor.
    private func isInUse(_ vault: any CopyableVault) async throws(VaultError) -> Bool {
        if try await !vault.customers(after: nil, limit: 1).isEmpty { return true }
        if try await !vault.facts(after: .start, of: nil, limit: 1).isEmpty { return true }
        if try await !vault.parked(after: .start, limit: 1).isEnd { return true }
        return try await !vault.cursors().isEmpty
    }

    private func countCustomers() async throws(VaultCopyFailure) -> Int {
        var (count, list) = (0, CustomerList(of: source))
        while let page = try await fromSource({ () async throws(VaultError) in try await list.next(10_000) }) {
            count += page.count
        }
        return count
    }

    // MARK: Copying

    /// Writes the marks of erased customers.
    ///
    /// The marks are written before any purchase, so that a purchase of an erased customer is not credited again.
    private func copyMarks() async throws(VaultCopyFailure) {
        let marks = try await fromSource { () async throws(VaultError) in try await source.erasedMarks() }
        let known = try await inTarget { () async throws(VaultError) in try await target.erasedMarks() }
        for part in marks.subtracting(known).parts(ofAtMost: 5_000) {
            try await inTarget { () async throws(VaultError) in try await target.insertMarks(part) }
        }
    }

    /// Appends the data of a customer that the target lacks.
    ///
    /// - Returns: The reason why the data cannot be written; `nil` if the target has all data of the customer.
    package func appendMissing(_ customer: CustomerID) async throws(VaultCopyFailure) -> VaultCopyReport.Difference? {
        for _ in 0..<Self.attempts {
            let theirs = try await fromSource { () async throws(VaultError) in try await source.copy(of: customer) }
            let own = try await inTarget { () async throws(VaultError) in try await target.copy(of: customer) }
            if own.version > 0, own.difference(from: theirs) == nil { return nil }
            guard own.isPrefix(of: theirs) else {
                return .init(
                    customer.rawValue,
                    "is not a part of the source's data and was not changed: the copy was written to, or the customer "
                        + "was erased in the source and added again")
            }
            do throws(VaultError) {
                switch try await target.write(theirs, after: own, at: instant) {
                case .written: return nil
                case .overtaken: continue
                case .refused(let conflict):
                    return .init(
                        customer.rawValue,
                        "purchase \(conflict.originalTransactionID) belongs to \(conflict.holder) in the copy; nothing of "
                            + "the customer was copied")
                }
            } catch {
                // If the target refuses the data of this customer, the copy continues with the other customers.
                guard [.invalidRequest, .overflow].contains(error.code) else { throw .target(error) }
                return .init(customer.rawValue, "cannot be written: \(error.message)")
            }
        }
        return .init(customer.rawValue, "another process writes about this customer in the copy")
    }

    /// Writes the facts without an owner, the parked evidence and the cursors of backends.
    private func copyUnowned() async throws(VaultCopyFailure) {
        try await unparkStrays()
        var failure: VaultError?
        try await fromSource { () async throws(VaultError) in
            try await source.unownedArchives { archive async throws(VaultError) in
                do throws(VaultError) {
                    _ = try await target.restore(archive, rule: LedgerRule(), at: instant)
                } catch {
                    failure = error
                    throw error
                }
            }
        } orElse: { error in
            failure == nil ? .source(error) : .target(error)
        }
        let cursors = try await fromSource { () async throws(VaultError) in try await source.cursors() }
        try await inTarget { () async throws(VaultError) in
            let known = try await target.cursors()
            for (backend, cursor) in cursors
            where backend != UpdateCursor.Backend(Self.noteName) && known[backend] != cursor {
                try await target.setCursor(cursor, of: backend.rawValue)
            }
        }
    }

    // MARK: Both sides

    /// Reads from the source.
    func fromSource<Answer>(
        _ body: () async throws(VaultError) -> Answer,
        orElse failure: (VaultError) -> VaultCopyFailure = { .source($0) }
    ) async throws(VaultCopyFailure) -> Answer {
        do throws(VaultError) { return try await body() } catch { throw failure(error) }
    }

    /// Reads from the target or writes to it.
    func inTarget<Answer>(
        _ body: () async throws(VaultError) -> Answer
    ) async throws(VaultCopyFailure) -> Answer {
        do throws(VaultError) { return try await body() } catch { throw .target(error) }
    }

    /// Calls `body` for each customer, with several calls at the same time.
    ///
    /// - Parameter then: The closure that receives each result, in no particular order.
    func forEach<Outcome: Sendable>(
        _ customers: [CustomerID], _ body: @escaping @Sendable (CustomerID) async throws(VaultCopyFailure) -> Outcome,
        then: (CustomerID, Outcome) -> Void
    ) async throws(VaultCopyFailure) {
        typealias Result = Swift.Result<Outcome, VaultCopyFailure>
        var failure: VaultCopyFailure?
        await withTaskGroup(of: (CustomerID, Result).self) { group in
            var rest = customers[...]
            func begin() {
                guard failure == nil, let next = rest.popFirst() else { return }
                group.addTask {
                    do throws(VaultCopyFailure) {
                        return (next, .success(try await body(next)))
                    } catch {
                        return (next, .failure(error))
                    }
                }
            }
            for _ in 0..<Self.width { begin() }
            while let (customer, result) = await group.next() {
                switch result {
                case .success(let outcome): then(customer, outcome)
                case .failure(let error): failure = failure ?? error
                }
                begin()
            }
        }
        if let failure { throw failure }
    }
}
