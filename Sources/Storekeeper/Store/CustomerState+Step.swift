/// The input of one step: an atomic write about a customer.
struct StepInput: Sendable {
    var facts: [VerifiedFact] = []
    /// Whether the facts were presented for the customer, so that facts without an owner become the customer's.
    var isClaimed = true
    /// The positions in ``facts`` of the customer's facts; `nil`, which stands for all, until the vault has returned
    /// others.
    var own: [Int]?
    /// Evidence that failed verification; its products become doubtful.
    var doubts: [CheckedEvidence] = []
    var notifications: [ServerNotification.ID] = []
    /// The notifications to record as events, once.
    var notices: [StoreEvent.Change] = []
    /// The instant at which the customer's whole history was read from the App Store; `nil` if it was not read.
    var syncedAt: Instant?
    /// Whether to store the customer's next wake-up time even if nothing has changed.
    var notesWake = false
    /// The purchases that have begun to wait for approval.
    var pending: [PendingPurchase] = []
    /// The products whose purchases no longer wait for approval.
    var settledPending: Set<Product.ID> = []
    /// A change of access without a purchase.
    var access: AccessChange?
    /// The catalog that replaces the current catalog; `nil` if the catalog does not change.
    var catalog: Catalog?
}

extension CustomerState {
    /// The result of merging an input into the state: the batch to write, and the state after the batch is written.
    struct Step: Sendable {
        /// The state after the batch is written; see ``confirm(_:)``.
        var next: CustomerState
        /// The batch; `nil` if nothing has to be written.
        var batch: CommitBatch?
        /// Whether products have become doubtful, so that a new snapshot must be published even if nothing is written.
        var isDoubting: Bool
        /// The instant at which the customer's whole history was read from the App Store; `nil` if it was not read.
        fileprivate var readAt: Instant?
    }

    /// Returns the step that merges an input into the state; this state itself does not change.
    ///
    /// - Parameter now: The instant at which the input is learned, in UTC.
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
        // Almost all evidence that reaches a store is its customer's; the vault corrects the rest.
        let own = intake.own ?? Array(intake.facts.indices)
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
        // A clock that was set back must not cause changes to be announced twice. The step's date is therefore not
        // before the last instant up to which changes were announced.
        let present = next.live.resolution.now(byClock: now)
        let instant = max(present, evaluatedThrough ?? present)
        // Doubts are lost when the process ends. If this instant were stored, the history would appear complete after a
        // restart.
        let syncedNow = next.doubts.isEmpty ? intake.syncedAt : nil
        let changes =
            AnswerChanges.causedByTime(in: before, after: evaluatedThrough ?? instant, through: instant)
            + AnswerChanges.learned(from: before, to: next.live.resolution, at: instant)
        let events =
            changes.map { $0.doubted(before: syncedAt == nil, after: syncedAt == nil && syncedNow == nil) }
            + intake.notices

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
                syncedAt: syncedNow, pending: intake.pending,
                settledPending: settled, access: isAccessChanged ? intake.access : nil, owesDelivery: owesDelivery,
                notifications: intake.notifications)
        }
        return Step(next: next, batch: batch, isDoubting: isDoubting, readAt: intake.syncedAt)
    }

    /// Returns the products whose pending purchases were completed by one of the transactions.
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
    /// Applies the vault's receipt to the next state.
    ///
    /// - Returns: The transactions that would overflow a balance and were not reported before.
    mutating func confirm(_ receipt: CommitReceipt) -> [TransactionKey] {
        next.version = receipt.version
        next.readAt = [next.readAt, readAt].compactMap { $0 }.max()
        if let synced = batch?.syncedAt { next.syncedAt = [next.syncedAt, synced].compactMap { $0 }.max() }
        for balance in receipt.balances { next.balances[balance.id] = balance }
        if let first = receipt.entries.first, let last = receipt.entries.last {
            // If entry numbers are skipped, other processes have made entries, possibly for balances that the receipt
            // does not contain.
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
