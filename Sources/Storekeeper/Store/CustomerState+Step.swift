/// The input of one step about a customer.
struct StepInput: Sendable {
    var facts: [VerifiedFact] = []
    /// Whether unowned facts become the customer's, because they were presented for them.
    var isClaimed = true
    /// The positions of the customer's facts, if the vault has returned them.
    var own: [Int]?
    /// Evidence that failed verification, whose products become doubtful.
    var doubts: [CheckedEvidence] = []
    var notifications: [ServerNotification.ID] = []
    /// When the App Store's whole history was read.
    var syncedAt: Instant?
    /// Whether to store the next wake even if nothing has changed.
    var notesWake = false
    /// The purchases that now wait for approval.
    var pending: [PendingPurchase] = []
    /// The products whose purchases stop waiting.
    var settledPending: Set<Product.ID> = []
    /// A change of access without a purchase.
    var access: AccessChange?
    /// Another catalog.
    var catalog: Catalog?
}

extension CustomerState {
    /// The result of an intake: the batch to write, and the state after it is written.
    struct Step: Sendable {
        /// The state after the batch is written; see ``confirm(_:)``.
        var next: CustomerState
        /// The batch; `nil` if there is nothing to write.
        var batch: CommitBatch?
        /// Whether new doubts must be published although nothing is written.
        var isDoubting: Bool
        /// When the App Store's whole history was read.
        fileprivate var readAt: Instant?
    }

    /// Merges an intake into the state and returns the step, without side effects.
    ///
    /// - Parameter now: The instant at which it is learned, in UTC.
    func step(_ intake: StepInput, at now: Instant) -> Step {
        var next = self
        let before = live.resolution
        if let catalog = intake.catalog {
            let resolver = EntitlementResolver(catalog: catalog, policy: live.resolver.policy)
            next.live = LiveResolution(
                history: live.history, resolver: resolver, pending: pending, grants: grants)
        }
        let recipient: EvidenceRecipient =
            intake.isClaimed ? .customer(customer) : .owner(primary: customer)
        let own = intake.own ?? presumedOwn(of: intake.facts, for: recipient)
        var isChanged = false
        var approved: Set<Product.ID> = []
        if !own.isEmpty {
            let merged = next.live.mergeListing(own.map { intake.facts[$0].evidence })
            isChanged = merged.isChanged
            approved = productsApproved(by: merged.facts.lazy.map(\.transaction))
        }
        let isDoubting = next.admit(intake.doubts)
        let settled = intake.settledPending.union(approved)
        next.pending = pending.adding(intake.pending, settling: settled, at: now)
        if next.pending != pending { next.live.setPending(next.pending) }
        let granted = intake.access.map(grants.applying) ?? grants
        let isAccessChanged = granted != grants
        if isAccessChanged { next.live.setGrants(granted) }
        // A clock that was set back must not announce changes twice: the step happens at the latest announced instant.
        let present = next.live.resolution.now(byClock: now)
        let instant = max(present, evaluatedThrough ?? present)
        let events =
            AnswerChanges.causedByTime(in: before, after: evaluatedThrough ?? instant, through: instant)
            + AnswerChanges.learned(from: before, to: next.live.resolution, at: instant)

        let hasNews = !events.isEmpty || isChanged || next.pending != pending || isAccessChanged
        let announces = hasNews || intake.notesWake || evaluatedThrough == nil
        if announces { next.evaluatedThrough = instant }
        let isWorthWriting =
            hasNews || intake.notesWake || !intake.facts.isEmpty || !intake.notifications.isEmpty
            || intake.syncedAt != nil || intake.catalog != nil || !intake.settledPending.isEmpty
        var batch: CommitBatch?
        if isWorthWriting {
            batch = CommitBatch(
                for: recipient, at: now, facts: intake.facts, expectedOwn: own,
                rule: LedgerRule(catalog: next.live.resolver.catalog, policy: next.live.resolver.policy),
                expectedVersion: version, events: events, evaluatedThrough: announces ? instant : nil,
                wakeAt: next.live.resolution.nextChange(after: instant).flatMap { $0 < .distantFuture ? $0 : nil },
                // Doubts end with the process; without them, the history would appear complete.
                syncedAt: next.doubts.isEmpty ? intake.syncedAt : nil, pending: intake.pending,
                settledPending: settled, access: isAccessChanged ? intake.access : nil, owesDelivery: owesDelivery,
                notifications: intake.notifications)
        }
        return Step(next: next, batch: batch, isDoubting: isDoubting, readAt: intake.syncedAt)
    }

    /// Returns the positions of the customer's facts by what is known here; the vault has the final decision.
    private func presumedOwn(of facts: [VerifiedFact], for recipient: EvidenceRecipient) -> [Int] {
        let outline = FactOutline(facts)
        let owners = HistoryOwners(of: customer, accountTokens, live.history, about: facts, outline)
        return Ownership.ownPositions(of: facts, outline, for: recipient, in: owners)
    }

    /// Returns the products of pending purchases that transactions complete.
    private func productsApproved(by transactions: some Sequence<Transaction>) -> Set<Product.ID> {
        guard !pending.isEmpty else { return [] }
        let transactions = Array(transactions)
        return Set(
            pending.filter { purchase in
                transactions.contains {
                    $0.productID == purchase.productID
                        && $0.purchasedAt.advanced(by: clockTolerance) >= purchase.startedAt
                }
            }.map(\.productID))
    }
}

extension CustomerState.Step {
    /// Applies what the vault has written.
    ///
    /// - Returns: The transactions that exceed a balance and were not reported before.
    mutating func confirm(_ receipt: CommitReceipt) -> [TransactionKey] {
        next.version = receipt.version
        next.readAt = [next.readAt, readAt].compactMap { $0 }.max()
        if let synced = batch?.syncedAt { next.syncedAt = [next.syncedAt, synced].compactMap { $0 }.max() }
        for balance in receipt.balances { next.balances[balance.id] = balance }
        if let first = receipt.entries.first, let last = receipt.entries.last {
            // Entries that others made in between affect balances that the receipt may not contain.
            if first.number != next.lastEntry.number &+ 1 { next.missesEntries = true }
            next.lastEntry = AccountEnd(last)
        }
        next.unfinished += receipt.owed
        next.credited.formUnion(receipt.owed.map(\.key))
        next.credited.subtract(receipt.uncredited)
        if !next.adoptable.rows.isEmpty, let facts = batch?.facts {
            let written = Set(facts.map { PayloadKey($0) })
            next.adoptable.rows.removeAll { written.contains(PayloadKey($0)) }
        }
        next.adoptable.add(receipt.adoptable)
        return receipt.uncredited.filter { next.reportedUncredited.insert($0).inserted }
    }
}
