public import FoundationEssentials

/// The intake of evidence from the app, the backend and other processes.
extension Store {
    // MARK: From the app

    /// Verifies evidence about the customer and stores it.
    ///
    /// The evidence is claimed for the customer: chains without an owner become the customer's, and evidence of other
    /// customers is parked and reported. When the call returns, verified evidence is stored durably, and purchased
    /// content has been delivered unless the handler failed.
    ///
    /// - Parameters:
    ///   - texts: Transactions, renewal infos, app transactions and notifications, each a compact JWS, in any order.
    ///   - isComplete: Whether the texts are all evidence about the customer. If they are not, a missing transaction
    ///     does not mean that a product was never bought.
    /// - Returns: The result; a text that fails verification does not affect the other texts.
    /// - Throws: ``VaultError`` if the evidence could not be written; the failed step has no effect, and the call
    ///   should be repeated. `CancellationError` when the task was cancelled before anything was written.
    @discardableResult
    public func ingest(_ texts: [String], isComplete: Bool = false) async throws -> IngestReport {
        try await ingest(texts, isComplete: isComplete, isClaimed: true)
    }

    /// Verifies evidence about the customer and stores it, with or without a claim for the customer.
    ///
    /// Without a claim, chains that have no owner do not become the customer's, because several customers may use one
    /// Apple Account.
    @discardableResult
    package func ingest(_ texts: [String], isComplete: Bool, isClaimed: Bool) async throws -> IngestReport {
        try await ingest(
            await VerificationBatch.verifying(texts, by: parts.verifier), isComplete: isComplete, isClaimed: isClaimed)
    }

    /// Stores verified facts about the customer, which are claimed for the customer.
    package func ingest(verified facts: [VerifiedFact], isComplete: Bool) async throws -> IngestReport {
        try await ingest(VerificationBatch(facts: facts), isComplete: isComplete, isClaimed: true)
    }

    private func ingest(
        _ presented: VerificationBatch, isComplete: Bool, isClaimed: Bool
    ) async throws -> IngestReport {
        try Task.checkCancellation()
        let isWhole = isComplete && presented.isReadable
        let report = try await commit(
            presented, isClaimed: isClaimed, syncedAt: isWhole ? parts.clock.now : nil)
        for owner in report.owners where owner != customer { parts.work.unread.add(owner) }
        await deliver(report.owed)
        return report
    }

    /// Commits verified evidence; a long list is committed in several atomic writes.
    ///
    /// - Parameters:
    ///   - isClaimed: Whether the evidence was presented for the customer, so that chains without an owner become the
    ///     customer's.
    ///   - syncedAt: The instant at which the whole history was read, stored with the last write; `nil` if it was not
    ///     read.
    func commit(
        _ presented: VerificationBatch, isClaimed: Bool = true, syncedAt: Instant? = nil
    ) async throws(VaultError) -> IngestReport {
        parts.reportFailures(of: presented)
        return try await serially { () async throws(VaultError) in
            var total = IngestReport(presented)
            let facts = presented.facts
            var start = 0
            do throws(VaultError) {
                repeat {
                    let end = min(start + parts.configuration.batchSize, facts.count)
                    var intake = StepInput(facts: Array(facts[start..<end]), isClaimed: isClaimed)
                    if start == 0 { intake.doubts = presented.doubts }
                    if end == facts.count {
                        intake.notifications = presented.notifications
                        intake.syncedAt = syncedAt
                    }
                    total.add(try await write(intake))
                    start = end
                } while start < facts.count
                // Evidence that was parked earlier may belong to chains that the commit has just bound.
                total.add(try await adoptParkedPages())
                total.diagnostics = Diagnostic.uncounted(
                    facts, besides: presented.doubts, in: try await currentState(), total.conflicts)
            } catch {
                queueDeliveries(of: total)
                throw error
            }
            return total
        }
    }

    /// Binds a chain to the customer, and adopts the parked evidence of the chain.
    ///
    /// Use this method for purchases without a token: purchases on the App Store's page or with an offer code, and
    /// purchases shared by the family. The first claim binds the chain permanently. The app must make sure that the
    /// customer may claim the chain, for example because the customer has presented a signed transaction of the chain.
    ///
    /// - Throws: ``VaultError`` if the vault cannot write.
    @discardableResult
    public func claim(_ chain: ChainID) async throws(VaultError) -> ClaimOutcome {
        try await claim(.chain(chain))
    }

    /// Binds a token to the customer, and adopts the parked evidence with the token.
    ///
    /// With the rule ``AccountTokenRule/asIDs``, a token that is the id of another customer is refused. If this
    /// customer's id is not a UUID, the vault cannot know that a token is the id of a customer whom it does not contain
    /// yet, so the app must not claim such an id.
    ///
    /// - Parameter token: The `appAccountToken` of the customer's purchases.
    /// - Throws: ``VaultError`` if the vault cannot write.
    @discardableResult
    public func claim(token: UUID) async throws(VaultError) -> ClaimOutcome {
        try await claim(.token(token))
    }

    private func claim(_ subject: BindingSubject) async throws(VaultError) -> ClaimOutcome {
        if let holder = try await parts.vault.claim(subject, for: customer, at: parts.clock.now) {
            return .refused(holder: holder)
        }
        let report = try await adoptParked()
        await deliver(report.owed)
        return .claimed(report)
    }

    /// Adopts the parked evidence whose chain or token belongs to the customer.
    func adoptParked() async throws(VaultError) -> IngestReport {
        try await serially { () async throws(VaultError) in
            try await reload()
            return try await adoptParkedPages()
        }
    }

    /// Records that a purchase waits for approval.
    func wait(for purchase: PendingPurchase) async throws(VaultError) {
        _ = try await serially { () async throws(VaultError) in try await write(StepInput(pending: [purchase])) }
    }

    // MARK: From the backend

    /// Reads all evidence that the App Store has about the customer, and makes outstanding deliveries.
    ///
    /// The method corresponds to StoreKit's `AppStore.sync()` and to "restore purchases": it reads the vault and the
    /// whole history again. The call only adds evidence. An empty response removes no evidence.
    ///
    /// - Returns: The result; empty if the store has no backend.
    /// - Throws: The backend's error, or ``VaultError``. Evidence that was read before the error counts.
    @discardableResult
    public func sync() async throws -> IngestReport {
        var report = try await adoptParked()
        do {
            report.add(try await readHistory())
        } catch {
            // Transactions that were read before the error may be owed a delivery.
            parts.work.owed.add(customer)
            throw error
        }
        await deliverUnfinished()
        return report
    }

    /// Reads the whole history and all statuses, and stores them.
    func readHistory() async throws -> IngestReport {
        guard let backend = parts.backend else { return IngestReport() }
        do {
            return try await readHistory(from: backend)
        } catch {
            if !(error is CancellationError), !(error is VaultError) { recordBackendState(failing: error) }
            throw error
        }
    }

    /// Reads the whole history, and reports errors instead of throwing them.
    ///
    /// - Returns: Whether the history was read.
    func isHistoryRead() async -> Bool {
        do {
            _ = try await readHistory()
            return true
        } catch {
            if let error = error as? VaultError { parts.report(.vaultFailed(error)) }
            return false
        }
    }

    private func readHistory(from backend: any StoreBackend) async throws -> IngestReport {
        let begun = parts.clock.now
        var reading = HistoryReading(of: customer, from: backend, with: parts)
        var report = IngestReport()
        var isReadable = true
        repeat {
            do {
                try await reading.readToEnd()
            } catch {
                // The evidence read so far counts, although it is incomplete.
                _ = try await commit(reading.presented)
                throw error
            }
            try Task.checkCancellation()
            isReadable = isReadable && reading.presented.isReadable
            report.add(
                try await commit(reading.removePresented(), syncedAt: reading.isDone && isReadable ? begun : nil))
        } while !reading.isDone
        recordBackendState()
        return report
    }

    /// Verifies an item of a stream and stores it.
    ///
    /// - Throws: ``VaultError`` if the item could not be written; the item must then be delivered again.
    package func receive(_ update: TransactionUpdate) async throws(VaultError) -> IngestReport {
        let isOthers = update.customer.map { $0 != customer } ?? false
        switch update.content {
        case .failure(let error):
            recordBackendState(failing: error)
            // Items of the stream may have been lost, so the history is read.
            parts.work.unread.add(customer)
            return IngestReport()
        case .declined(let productID):
            if !isOthers { try await endPending(productID) }
            return IngestReport()
        case .evidence(let texts):
            var presented = await VerificationBatch.verifying(texts, by: parts.verifier)
            // An item that names no customer makes no product doubtful, because the affected customer is unknown.
            if update.customer != customer { presented.doubts = [] }
            guard isOthers else {
                let report = try await commit(presented, isClaimed: update.customer != nil)
                parts.reportUnclaimed(report)
                return report
            }
            // According to the backend, the evidence belongs to another customer.
            parts.reportFailures(of: presented)
            var report = IngestReport(presented)
            report.add(try await parts.park(presented.facts))
            return report
        }
    }

    private func endPending(_ productID: Product.ID) async throws(VaultError) {
        try await serially { () async throws(VaultError) in
            guard try await currentState().pending.contains(where: { $0.productID == productID }) else { return }
            try await write(StepInput(settledPending: [productID]))
        }
    }

    // MARK: From other processes, from time, from the catalog

    /// Reads the data that other processes have written about the customer, if any.
    ///
    /// - Returns: Whether another process has written about the customer.
    /// - Throws: ``VaultError`` if the vault cannot be read; the state then does not change.
    @discardableResult
    public func refresh() async throws(VaultError) -> Bool {
        try await serially { () async throws(VaultError) in try await catchUp() }
    }

    /// Records the changes that time has caused until now, and stores the customer's next wake-up time.
    ///
    /// The wake-up time is stored even if no event is written. Otherwise, the customer would stay due forever, because
    /// the previous wake-up time has passed.
    func recordDueChanges() async throws(VaultError) {
        _ = try await serially { () async throws(VaultError) in try await write(StepInput(notesWake: true)) }
    }

    /// Replaces the catalog, and records events for the answers that change.
    ///
    /// Balances do not change: a new catalog does not affect units that a customer already has.
    ///
    /// - Throws: ``VaultError`` if the changes cannot be written; the previous catalog then stays in use.
    public func reload(_ catalog: Catalog) async throws(VaultError) {
        _ = try await serially { () async throws(VaultError) in try await write(StepInput(catalog: catalog)) }
    }

    /// Requests the descriptions of the catalog's products, and of the products that the configuration requests, from a
    /// source.
    ///
    /// Groups, features and products that the source does not describe stay unchanged. If the source fails or returns
    /// no description, the catalog does not change.
    ///
    /// - Returns: Whether the catalog was replaced.
    /// - Throws: ``VaultError`` if the changes cannot be written.
    @discardableResult
    public func refreshProducts(from source: any ProductSource) async throws(VaultError) -> Bool {
        let (catalog, configuration) = (snapshot.resolution.catalog, parts.configuration)
        let ids = (catalog.products.map(\.id) + configuration.requestedProductIDs.sorted())
        let products: [Product]
        do {
            products = try await parts.clock.within(configuration.callDeadline) {
                try await source.products(for: ids)
            }
        } catch {
            parts.report(.productsFailed(error))
            return false
        }
        guard !products.isEmpty else {
            if !ids.isEmpty { parts.report(.productsFailed(nil)) }
            return false
        }
        try await reload(catalog.describing(products))
        return true
    }
}
