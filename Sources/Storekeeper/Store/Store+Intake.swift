/// What is to be written about the customer in one step.
struct Intake: Sendable {
    var facts: [VerifiedFact] = []
    /// Evidence that was not believed, whose products come into doubt.
    var doubts: [VerifiedEvidence] = []
    var notifications: [String] = []
    /// When the App Store's whole history was read.
    var syncedAt: Instant?
    /// Whether to write down when something changes next although nothing has happened.
    var notesWake = false
    var pending: [PendingPurchase] = []
    var settledPending: Set<Product.ID> = []
    /// Another catalog to go by.
    var catalog: Catalog?
}

extension Store {
    /// How many products may come into doubt at most, so that made-up evidence cannot fill the memory.
    private static let maximumDoubts = 512

    // MARK: From outside

    /// Takes in evidence about the customer.
    ///
    /// What is handed over here is claimed for the customer: chains that are nobody's become theirs, and what belongs
    /// to another is put aside and reported. When the call returns, what was believed is durable, and the goods were
    /// handed out where the handler did not fail.
    ///
    /// - Parameters:
    ///   - texts: Compact JWS: transactions, renewal infos, notifications, in any order.
    ///   - isComplete: Whether this is all that there is about the customer. Only then does silence about a product
    ///     mean that it was never bought.
    /// - Returns: What became of it; a piece that is not believed stops no other.
    /// - Throws: ``VaultError`` where it could not be written; nothing of the failed step counts, and it should be
    ///   handed over again. `CancellationError` when the task was cancelled before anything was written.
    @discardableResult
    public func ingest(_ texts: [String], isComplete: Bool = false) async throws -> IntakeReport {
        let presented = await PresentedEvidence.verifying(texts, by: verifier)
        try Task.checkCancellation()
        let isWhole = isComplete && presented.isLegible
        let report = try await take(presented, syncedAt: isWhole ? clock.now : nil)
        await deliver(report.owed)
        return report
    }

    /// Commits what was presented for the customer; a long list in several steps.
    ///
    /// - Parameter syncedAt: Written with the last step.
    func take(_ presented: PresentedEvidence, syncedAt: Instant? = nil) async throws(VaultError) -> IntakeReport {
        for failure in presented.failures { report(.unverified(failure.error, productID: failure.productID)) }
        return try await serially { () async throws(VaultError) in
            var total = IntakeReport()
            total.failures = presented.failures.map(\.error)
            total.ignored = presented.ignored
            let facts = try await parkingLoneInfos(of: presented.facts, &total)
            var start = 0
            repeat {
                let end = min(start + configuration.batchSize, facts.count)
                var intake = Intake(facts: Array(facts[start..<end]))
                if start == 0 { intake.doubts = presented.doubts }
                if end == facts.count {
                    intake.notifications = presented.notifications
                    intake.syncedAt = syncedAt
                }
                total.add(try await write(intake))
                start = end
            } while start < facts.count
            // Its chains may be what other evidence has waited for.
            total.add(try await adoptHeld())
            return total
        }
    }

    /// Puts aside renewal infos of chains that nobody has: they come back with the first transaction of theirs.
    private func parkingLoneInfos(
        of facts: [VerifiedFact], _ report: inout IntakeReport
    ) async throws(VaultError) -> [VerifiedFact] {
        let subjects = Set(facts.compactMap { $0.transaction.map { RenewalInfoKey(ChainID($0)) } })
        var lone: [VerifiedFact] = []
        for fact in facts {
            guard let subject = fact.renewalInfo.map({ RenewalInfoKey($0) }), !subjects.contains(subject) else {
                continue
            }
            let chains = try await vault.chains(originalID: subject.originalID).filter {
                RenewalInfoKey($0) == subject
            }
            if try await vault.holders(of: chains.map(BindingSubject.chain)).isEmpty { lone.append(fact) }
        }
        guard !lone.isEmpty else { return facts }
        report.parked += try await vault.park(lone, claimant: nil, at: clock.now)
        let payloads = Set(lone.map(\.jws.payload))
        return facts.filter { !payloads.contains($0.jws.payload) }
    }

    // MARK: One step

    /// Merges, commits and publishes; only inside ``serially(_:)``.
    ///
    /// Where others have written it looks again; what belongs to another customer is put aside and the rest is
    /// written. On an error nothing has changed that anybody could see.
    @discardableResult
    func write(_ intake: Intake) async throws(VaultError) -> IntakeReport {
        var intake = intake
        var report = IntakeReport()
        for _ in 0..<configuration.commitAttempts {
            try await restore()
            let draft = draft(intake)
            guard draft.isWorthWriting else {
                if draft.isDoubting { publish() }
                return report
            }
            let outcome: CommitOutcome
            // From here on what is known is ahead of the vault, unless the vault says that it is written.
            isCurrent = false
            outcome = try await vault.commit(draft.batch)
            switch outcome {
            case .committed(let receipt):
                conclude(draft, receipt, &report)
                return report
            case .stale: continue
            case .conflicts(let conflicts): try await putAside(conflicts, from: &intake, &report)
            }
        }
        throw VaultError(.locked, "other processes kept writing about the same customer; try again")
    }

    /// A step that is merged and not yet written.
    private struct Draft {
        var batch: CommitBatch
        /// The latest of the instants that were announced and now.
        var evaluatedThrough: Instant
        var pending: [PendingPurchase]
        /// When the whole history was read.
        var syncedAt: Instant?
        /// Whether there is anything to write.
        var isWorthWriting: Bool
        /// Whether products have come into doubt.
        var isDoubting: Bool
    }

    /// Merges a step into what is known and makes the batch to write.
    private func draft(_ intake: Intake) -> Draft {
        let now = clock.now
        let before = known.live.resolution
        // A clock that was set back announces nothing twice: what is learned counts from where it had come.
        let instant = max(now, known.evaluatedThrough ?? now)
        var events = AnswerChanges.passing(in: before, after: known.evaluatedThrough ?? instant, through: instant)

        if let catalog = intake.catalog {
            let resolver = EntitlementResolver(catalog: catalog, policy: known.live.resolver.policy)
            known.live = LiveResolution(history: known.live.history, resolver: resolver, pending: known.pending)
        }
        let merged = known.live.merge(intake.facts.map(\.evidence))
        let isDoubting = admits(intake.doubts)
        let settled = intake.settledPending.union(approved(by: merged.facts.map(\.transaction)))
        let started = Set(intake.pending.map(\.productID))
        let pending =
            known.pending.filter {
                !settled.contains($0.productID) && !started.contains($0.productID) && $0.endsAt > now
            } + intake.pending
        if pending != known.pending { known.live.setPending(pending) }
        let after = known.live.resolution
        events += AnswerChanges.learned(from: before, to: after, at: instant)

        var batch = CommitBatch(customer: customer, at: now, facts: intake.facts)
        batch.rule = LedgerRule(catalog: known.live.resolver.catalog, policy: known.live.resolver.policy)
        batch.expectedVersion = known.version
        batch.events = events
        batch.wakeAt = after.nextChange(after: instant).flatMap { $0 < .distantFuture ? $0 : nil }
        // Doubts end with the process: without them the history would count as whole.
        batch.syncedAt = doubts.isEmpty ? intake.syncedAt : nil
        batch.pending = intake.pending
        batch.settledPending = settled
        batch.owesDelivery = handler != nil || backend != nil
        batch.notifications = intake.notifications
        let hasNews = !events.isEmpty || merged.isChanged || pending != known.pending
        if hasNews || intake.notesWake || known.evaluatedThrough == nil { batch.evaluatedThrough = instant }
        return Draft(
            batch: batch, evaluatedThrough: instant, pending: pending, syncedAt: intake.syncedAt,
            isWorthWriting: hasNews || intake.notesWake || !intake.facts.isEmpty || !intake.notifications.isEmpty
                || intake.syncedAt != nil || intake.catalog != nil || !intake.settledPending.isEmpty,
            isDoubting: isDoubting)
    }

    /// Makes what was written visible.
    private func conclude(_ draft: Draft, _ receipt: CommitReceipt, _ report: inout IntakeReport) {
        resolver = known.live.resolver
        known.version = receipt.version
        if draft.batch.evaluatedThrough != nil { known.evaluatedThrough = draft.evaluatedThrough }
        readAt = [readAt, draft.syncedAt].compactMap { $0 }.max()
        known.syncedAt = [known.syncedAt, readAt].compactMap { $0 }.max()
        known.pending = draft.pending
        for balance in receipt.balances { known.balances[ByteText(balance.id)] = balance }
        if let last = receipt.entries.last {
            known.lastEntry = max(known.lastEntry, last.sequence)
            known.mayMissEntries = true
        }
        known.unfinished += receipt.owed
        settled.formUnion(receipt.owed.map(\.key))
        settled.subtract(receipt.uncredited)
        for key in receipt.uncredited where tellsOf(key) { self.report(.uncredited(key)) }
        known.adoptable.removeAll { adoptable in
            draft.batch.facts.contains { $0.jws.payload == adoptable.jws.payload }
        }
        if !receipt.adoptable.isEmpty { known.adoptable = receipt.adoptable }
        if isBuying {
            learned.formUnion(
                receipt.newFacts.compactMap { draft.batch.facts[$0].transaction }.map(TransactionKey.init))
        }
        isCurrent = true
        report.new += receipt.newFacts.count
        report.known += draft.batch.facts.count - receipt.newFacts.count
        report.entries += receipt.entries
        report.owed += receipt.owed.map(\.key)
        report.uncredited += receipt.uncredited
        publish()
    }

    /// Whether it was not told of before, so that each new try does not tell of it again.
    private func tellsOf(_ key: TransactionKey) -> Bool { toldUncredited.insert(key).inserted }

    /// Puts aside what belongs to another customer; the rest stays to be written.
    private func putAside(
        _ conflicts: [BindingConflict], from intake: inout Intake, _ report: inout IntakeReport
    ) async throws(VaultError) {
        /// Chains of the same number in other apps and environments are others.
        var chains: Set<ChainID> = []
        /// Of a token only the number of the chain that carries it is told.
        var ids: Set<Transaction.ID> = []
        for conflict in conflicts {
            switch conflict.subject {
            case .chain(let chain): chains.insert(chain)
            case .token: ids.insert(conflict.originalTransactionID)
            }
        }
        let subjects = Set(chains.map { RenewalInfoKey($0) })
        func isDisputed(_ fact: VerifiedFact) -> Bool {
            switch fact.content {
            case .transaction(let transaction):
                chains.contains(ChainID(transaction)) || ids.contains(transaction.originalID)
            case .renewalInfo(let info):
                subjects.contains(RenewalInfoKey(info)) || ids.contains(info.originalTransactionID)
            }
        }
        var aside = intake.facts.filter(isDisputed)
        // A vault that names a conflict and no fact of ours would be asked for ever.
        if aside.isEmpty { aside = intake.facts }
        let payloads = Set(aside.map(\.jws.payload))
        report.parked += try await vault.park(aside, claimant: customer, at: clock.now)
        intake.facts.removeAll { payloads.contains($0.jws.payload) }
        for conflict in conflicts { self.report(.conflict(conflict)) }
        report.conflicts += conflicts
    }

    /// Notes doubtful evidence: about products that somebody knows, and only so many others.
    ///
    /// - Returns: Whether there is any that was not noted before.
    private func admits(_ evidence: [VerifiedEvidence]) -> Bool {
        let count = doubts.count
        for piece in evidence {
            guard case .transaction(let result) = piece else { continue }
            let id = result.unsafePayloadValue.productID
            let isKnown = known.live.resolver.catalog.product(id) != nil
            guard doubts[id] == nil, isKnown || doubts.count < Self.maximumDoubts else { continue }
            doubts[id] = piece
        }
        return doubts.count > count
    }

    /// The products of pending purchases that transactions complete.
    private func approved(by transactions: [Transaction]) -> Set<Product.ID> {
        guard !known.pending.isEmpty else { return [] }
        return Set(
            known.pending.filter { purchase in
                transactions.contains {
                    $0.productID == purchase.productID
                        && $0.purchasedAt.adding(milliseconds: configuration.clockTolerance) >= purchase.startedAt
                }
            }.map(\.productID))
    }
}
