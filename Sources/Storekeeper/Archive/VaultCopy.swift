/// Brings all of one vault into another, and makes sure that it is there.
///
/// The other vault holds nothing, or a copy of the same vault that was begun before: a note in it says of which. A copy
/// that was stopped goes on where it is run again: each customer is one step, what is there already is not doubled, and
/// what was written to the source meanwhile is brought after. Of a customer whom the other vault knows otherwise nothing
/// is changed; the report says so, as it does of whoever is there alone.
///
/// Brought are facts, accounts with the numbers, instants and keys of their entries, bindings, what is parked, what is
/// owed a delivery, what waits for approval, events, the cursors of backends, and what is remembered of the erased so that
/// nothing is credited twice. Places are given anew, in the same
/// order for each customer. Left behind are the proofs of erasures, which speak of the source's own links, and what is
/// soon forgotten anyway: leases, the names of steps, notifications that were seen.
package struct VaultCopy: Sendable {
    /// How far a copy has come.
    package enum Progress: Sendable {
        /// So many customers are to be copied, and then verified.
        case began(customers: Int)
        /// A customer more is copied.
        case copied
        /// A customer more is verified.
        case verified
    }

    /// Under which name of a backend the note stands that says of which vault a vault is the copy.
    static let note = "storekeeper vault copy"
    /// How many customers are on their way at a time, so that their steps share what makes them durable.
    static let width = 16
    /// How many customers are listed at a time.
    static let pageSize = 512
    /// How often a customer is looked at again because others write about them.
    static let attempts = 5

    let source: any CopyableVault
    let target: any CopyableVault
    /// When, in UTC.
    let instant: Instant

    /// Makes a copy, of which nothing is written yet.
    ///
    /// - Parameters:
    ///   - source: What is copied; it is only read.
    ///   - target: What is to hold the copy; nobody else may write to it meanwhile.
    ///   - instant: When, in UTC.
    package init(from source: any CopyableVault, to target: any CopyableVault, at instant: Instant) {
        self.source = source
        self.target = target
        self.instant = instant
    }

    /// Copies and verifies.
    ///
    /// - Parameter onProgress: Is told how far it is.
    /// - Returns: What the copy holds, and what of it is not as it should be.
    package func run(
        onProgress: (Progress) -> Void = { _ in }
    ) async throws(VaultCopyFailure) -> VaultCopyReport {
        try await begin()
        try await bringMarks()
        var report = VaultCopyReport()
        let customers = try await countCustomers()
        onProgress(.began(customers: customers))
        var list = CustomerList(of: source)
        while let page = try await fromSource({ () async throws(VaultError) in try await list.next(Self.pageSize) }) {
            try await forEach(page) { customer async throws(VaultCopyFailure) in
                try await bring(customer)
            } then: { _, difference in
                onProgress(.copied)
                if let difference { report.differences.append(difference) }
            }
        }
        try await bringWhatIsNobodys()
        try await verify(&report, onProgress)
        return report
    }

    // MARK: Beginning

    /// Makes sure that the source is as it was written and that the target is empty, or a copy of it.
    package func begin() async throws(VaultCopyFailure) {
        let known = try await inTarget { () async throws(VaultError) in
            try await target.cursor(of: Self.note)?.rawValue
        }
        if known == nil, try await inTarget({ () async throws(VaultError) in try await isInUse(target) }) {
            throw .targetInUse
        }
        let proof = try await fromSource { () async throws(VaultError) in try await source.checkIntegrity() }
        guard proof.faults.isEmpty else { throw .damagedSource(faults: proof.faults.count) }
        let head = proof.head ?? Self.unlinked
        guard let known else {
            try await inTarget { () async throws(VaultError) in
                try await target.setCursor(UpdateCursor(rawValue: head), of: Self.note)
            }
            return
        }
        if known == head { return }
        // It has gone on since, or it is another.
        guard known != Self.unlinked, proof.head != nil else { throw .targetOfAnother }
        let again = try await fromSource { () async throws(VaultError) in
            try await source.checkIntegrity(containing: known)
        }
        guard again.faults.isEmpty else { throw .targetOfAnother }
    }

    /// What stands in the note where the source keeps no chain of links that could name it.
    private static let unlinked = "unlinked"

    /// Whether a vault holds anything that is anybody's, or tells how far something was read.
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

    /// Writes what the source remembers of erased customers, before anything that it is about can be written.
    private func bringMarks() async throws(VaultCopyFailure) {
        let marks = try await fromSource { () async throws(VaultError) in try await source.erasedMarks() }
        let known = try await inTarget { () async throws(VaultError) in try await target.erasedMarks() }
        for part in marks.subtracting(known).parts(ofAtMost: 5_000) {
            try await inTarget { () async throws(VaultError) in try await target.keep(part) }
        }
    }

    /// Writes a customer behind what the target has of them.
    ///
    /// - Returns: Why it cannot be written; `nil` where it is there.
    package func bring(_ customer: CustomerID) async throws(VaultCopyFailure) -> VaultCopyReport.Difference? {
        for _ in 0..<Self.attempts {
            let theirs = try await fromSource { () async throws(VaultError) in try await source.copy(of: customer) }
            let own = try await inTarget { () async throws(VaultError) in try await target.copy(of: customer) }
            if own.version > 0, own.difference(from: theirs) == nil { return nil }
            guard own.isBegun(of: theirs) else {
                return .init(
                    customer.rawValue,
                    "is not a part of what the source has, and was not changed: the copy was written to, or the customer "
                        + "was erased in the source and began anew")
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
                // What cannot be in the target is this customer's fault alone.
                guard [.invalidRequest, .overflow].contains(error.code) else { throw .target(error) }
                return .init(customer.rawValue, "cannot be written: \(error.message)")
            }
        }
        return .init(customer.rawValue, "others write about this customer in the copy")
    }

    /// Writes facts of unknown chains, what is parked, and the cursors of backends.
    private func bringWhatIsNobodys() async throws(VaultCopyFailure) {
        try await unparkStrays()
        var failure: VaultError?
        try await fromSource { () async throws(VaultError) in
            try await source.archivesOfNobody { archive async throws(VaultError) in
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
            where backend != UpdateCursor.Backend(Self.note) && known[backend] != cursor {
                try await target.setCursor(cursor, of: backend.rawValue)
            }
        }
    }

    // MARK: Both sides

    /// Asks the source.
    func fromSource<Answer>(
        _ body: () async throws(VaultError) -> Answer,
        orElse failure: (VaultError) -> VaultCopyFailure = { .source($0) }
    ) async throws(VaultCopyFailure) -> Answer {
        do throws(VaultError) { return try await body() } catch { throw failure(error) }
    }

    /// Asks the target, or writes to it.
    func inTarget<Answer>(
        _ body: () async throws(VaultError) -> Answer
    ) async throws(VaultCopyFailure) -> Answer {
        do throws(VaultError) { return try await body() } catch { throw .target(error) }
    }

    /// Does something for each customer, some of them at a time.
    ///
    /// - Parameter then: Is given what came of each, in no order.
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
