extension VaultCopy {
    /// The result of comparing a customer's data in both vaults.
    private struct Finding: Sendable {
        var entries = 0
        var difference: VaultCopyReport.Difference?
    }

    /// Compares both vaults and checks the integrity of the target.
    func verify(
        _ report: inout VaultCopyReport, _ onProgress: (Progress) -> Void
    ) async throws(VaultCopyFailure) {
        let known = Set(report.differences.map(\.subject))
        var (theirs, own) = (VaultCopyReport.Counts(), VaultCopyReport.Counts())
        var (sources, targets) = (CustomerList(of: source), MergedList(of: target))
        while let page = try await fromSource({ () async throws(VaultError) in try await sources.next(Self.pageSize) })
        {
            theirs.customers += page.count
            let stray = try await inTarget { () async throws(VaultError) in
                try await targets.strays(among: page, count: &own.customers)
            }
            own.entries += try await addStrays(stray, to: &report)
            try await forEach(page) { customer async throws(VaultCopyFailure) in
                try await compare(customer)
            } then: { customer, finding in
                onProgress(.verified)
                own.entries += finding.entries
                if !known.contains(customer.rawValue), let difference = finding.difference {
                    report.differences.append(difference)
                }
            }
        }
        let remaining = try await inTarget { () async throws(VaultError) in
            try await targets.remaining(count: &own.customers)
        }
        own.entries += try await addStrays(remaining, to: &report)
        try await compareRest(&theirs, &own, &report)
        (report.customers, report.facts, report.entries) = (own.customers, own.facts, own.entries)
        let proof = try await inTarget { () async throws(VaultError) in try await target.checkIntegrity() }
        report.links = proof.links
        report.differences += proof.faults.map { .init($0.subject, "the copy has a fault: \($0.message)") }
        report.erasures = try await fromSource { () async throws(VaultError) in try await source.erasureCount() }
        report.differences.sort { ($0.subject, $0.message) < ($1.subject, $1.message) }
    }

    /// Compares a customer's data in both vaults; if the data differs, copies the missing data and compares again.
    private func compare(_ customer: CustomerID) async throws(VaultCopyFailure) -> Finding {
        var finding = Finding()
        for _ in 0..<Self.attempts {
            let theirs = try await fromSource { () async throws(VaultError) in try await source.copy(of: customer) }
            let own = try await inTarget { () async throws(VaultError) in try await target.copy(of: customer) }
            finding.entries = own.entries.count
            finding.difference = own.difference(from: theirs).map { .init(customer.rawValue, $0) }
            if finding.difference == nil { break }
            // The source may have changed since the customer was copied.
            if let reason = try await appendMissing(customer) {
                finding.difference = reason
                break
            }
        }
        return finding
    }

    /// Reports customers who exist only in the target.
    ///
    /// - Returns: The number of entries of these customers.
    private func addStrays(
        _ customers: [CustomerID], to report: inout VaultCopyReport
    ) async throws(VaultCopyFailure) -> Int {
        var entries = 0
        for customer in customers {
            let end = try await inTarget { () async throws(VaultError) in
                try await target.version(of: customer).lastEntry
            }
            entries += Int(clamping: end.number)
            report.differences.append(
                .init(
                    customer.rawValue,
                    "exists only in the copy; erase it there, too, if it was erased in the source meanwhile"))
        }
        return entries
    }

    /// Compares the data that does not belong to a customer: totals, facts without an owner, marks of erased customers,
    /// parked evidence and cursors.
    private func compareRest(
        _ theirs: inout VaultCopyReport.Counts, _ own: inout VaultCopyReport.Counts, _ report: inout VaultCopyReport
    ) async throws(VaultCopyFailure) {
        let sourceFacts = try await fromSource { () async throws(VaultError) in try await source.countFacts() }
        let targetFacts = try await inTarget { () async throws(VaultError) in try await target.countFacts() }
        (theirs.facts, own.facts) = (sourceFacts.count, targetFacts.count)
        func recordDifference(_ subject: String, _ source: Int, _ target: Int) {
            if source != target {
                report.differences.append(.init(subject, "there are \(target) instead of \(source)"))
            }
        }
        recordDifference("customers", theirs.customers, own.customers)
        recordDifference("facts", theirs.facts, own.facts)
        if sourceFacts.unowned != targetFacts.unowned {
            report.differences.append(.init("facts without an owner", "differ"))
        }
        let marks = try await fromSource { () async throws(VaultError) in try await source.erasedMarks() }
        let kept = try await inTarget { () async throws(VaultError) in try await target.erasedMarks() }
        if !kept.includesAll(marks) {
            report.differences.append(
                .init("marks of erased customers", "are incomplete: coins might be credited again"))
        }
        var (sources, targets) = (ParkedList(of: source), ParkedList(of: target))
        while true {
            let theirs = try await fromSource { () async throws(VaultError) in try await sources.next() }
            let own = try await inTarget { () async throws(VaultError) in try await targets.next() }
            if theirs == nil, own == nil { break }
            guard let theirs, let own, theirs.isSame(as: own) else {
                report.differences.append(.init("parked evidence", "differs"))
                break
            }
        }
        var cursors = try await fromSource { () async throws(VaultError) in try await source.cursors() }
        var copied = try await inTarget { () async throws(VaultError) in try await target.cursors() }
        // The note about the source of a copy is not compared, because each copy has its own note.
        (cursors[UpdateCursor.Backend(Self.noteName)], copied[UpdateCursor.Backend(Self.noteName)]) = (
            nil, nil
        )
        if cursors != copied { report.differences.append(.init("the cursors of backends", "differ")) }
    }
}

/// Reads a vault's customers in order of id, to compare them with the pages of another vault's customers.
private struct MergedList {
    private var list: CustomerList
    private var waiting: ArraySlice<CustomerID> = []
    private var isDone = false

    init(of vault: any CopyableVault) { list = CustomerList(of: vault) }

    /// Returns this vault's customers, up to the last customer of the other vault's page, that the page does not
    /// contain.
    mutating func strays(among page: [CustomerID], count: inout Int) async throws(VaultError) -> [CustomerID] {
        guard let end = page.last else { return [] }
        let known = Set(page)
        var strays: [CustomerID] = []
        while let next = try await first(), end >= next {
            waiting = waiting.dropFirst()
            count += 1
            if !known.contains(next) { strays.append(next) }
        }
        return strays
    }

    /// Returns this vault's customers after the last page that was compared.
    mutating func remaining(count: inout Int) async throws(VaultError) -> [CustomerID] {
        var strays: [CustomerID] = []
        while let next = try await first() {
            waiting = waiting.dropFirst()
            count += 1
            strays.append(next)
        }
        return strays
    }

    private mutating func first() async throws(VaultError) -> CustomerID? {
        if waiting.isEmpty, !isDone {
            guard let page = try await list.next(VaultCopy.pageSize) else {
                isDone = true
                return nil
            }
            waiting = page[...]
        }
        return waiting.first
    }
}

extension TransactionalVault {
    /// Counts all facts, and lists the facts without an owner.
    fileprivate func countFacts() async throws(VaultError) -> (count: Int, unowned: [String: Instant]) {
        var (count, unowned, place) = (0, [String: Instant](), FeedPlace.start)
        while true {
            let page = try await facts(after: place, of: nil, limit: 1_000)
            count += page.count
            for stored in page where stored.customer == nil { unowned[stored.fact.jws.compact] = stored.learnedAt }
            guard page.count == 1_000, let last = page.last else { return (count, unowned) }
            place = last.place
        }
    }
}
