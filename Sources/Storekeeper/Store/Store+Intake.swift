public import FoundationEssentials

/// The ways by which a store learns.
extension Store {
    // MARK: From the app

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
        try await ingest(texts, isComplete: isComplete, isClaimed: true)
    }

    /// Takes in evidence about the customer, and says whether it is handed over for them.
    ///
    /// What is not makes no chain theirs that is nobody's: several customers may use one Apple Account.
    @discardableResult
    package func ingest(_ texts: [String], isComplete: Bool, isClaimed: Bool) async throws -> IntakeReport {
        let presented = await PresentedEvidence.verifying(texts, by: parts.verifier)
        try Task.checkCancellation()
        let isWhole = isComplete && presented.isLegible
        let report = try await commit(
            presented, isClaimed: isClaimed, syncedAt: isWhole ? parts.clock.now : nil)
        await deliver(report.owed)
        return report
    }

    /// Commits what was presented; a long list in several steps.
    ///
    /// - Parameters:
    ///   - isClaimed: Whether it was presented for the customer, so that what is nobody's becomes theirs.
    ///   - syncedAt: Written with the last step.
    func commit(
        _ presented: PresentedEvidence, isClaimed: Bool = true, syncedAt: Instant? = nil
    ) async throws(VaultError) -> IntakeReport {
        for failure in presented.failures { parts.report(.unverified(failure.error, productID: failure.productID)) }
        return try await serially { () async throws(VaultError) in
            var total = IntakeReport()
            total.failures = presented.failures.map(\.error)
            total.ignored = presented.ignored
            let facts = presented.facts
            var start = 0
            repeat {
                let end = min(start + parts.configuration.batchSize, facts.count)
                var intake = Intake(facts: Array(facts[start..<end]), isClaimed: isClaimed)
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

    /// Makes a chain of purchases the customer's, and takes in what waits for it.
    ///
    /// For purchases without a token: from the App Store's page, by offer code, shared by the family. The first claim
    /// binds, for good. The app has to know that the customer may claim it, for instance because they have shown a
    /// signed transaction of it.
    ///
    /// - Throws: ``VaultError`` where the vault cannot write.
    @discardableResult
    public func claim(_ chain: ChainID) async throws(VaultError) -> ClaimOutcome {
        try await claim(.chain(chain))
    }

    /// Makes a token the customer's, and takes in what waits for it.
    ///
    /// - Parameter token: The app's own name for the customer, as purchases carry it.
    /// - Throws: ``VaultError`` where the vault cannot write.
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

    /// Takes in parked evidence whose chain or token has become the customer's.
    func adoptParked() async throws(VaultError) -> IntakeReport {
        try await serially { () async throws(VaultError) in
            try await reload()
            return try await adoptHeld()
        }
    }

    /// Writes down that a purchase waits for somebody's approval.
    func wait(for purchase: PendingPurchase) async throws(VaultError) {
        _ = try await serially { () async throws(VaultError) in try await write(Intake(pending: [purchase])) }
    }

    // MARK: From the backend

    /// Reads all that the App Store has signed for the customer, and hands out what is owed.
    ///
    /// What StoreKit calls `AppStore.sync()` and apps call "restore purchases": everything is looked at again, from
    /// the vault and from the whole history. It only adds: an empty answer takes nothing away.
    ///
    /// - Returns: What came of it; empty where the store has no backend.
    /// - Throws: What the backend throws, or ``VaultError``. What was read until then counts.
    @discardableResult
    public func sync() async throws -> IntakeReport {
        var report = try await adoptParked()
        report.add(try await readHistory())
        await deliverUnfinished()
        return report
    }

    /// Reads the whole history and all statuses and takes them in.
    func readHistory() async throws -> IntakeReport {
        guard let backend = parts.backend else { return IntakeReport() }
        do {
            return try await readHistory(from: backend)
        } catch {
            if !(error is CancellationError), !(error is VaultError) { backendAnswered(failing: error) }
            throw error
        }
    }

    /// Reads the whole history, and reports what keeps it from being read.
    ///
    /// - Returns: Whether it was read.
    func isHistoryRead() async -> Bool {
        do {
            _ = try await readHistory()
            return true
        } catch {
            if let error = error as? VaultError { parts.report(.vaultFailed(error)) }
            return false
        }
    }

    private func readHistory(from backend: any StoreBackend) async throws -> IntakeReport {
        let begun = parts.clock.now
        var reading = HistoryReading(of: customer, from: backend, with: parts)
        var report = IntakeReport()
        var isLegible = true
        repeat {
            do {
                try await reading.readOn()
            } catch {
                // What was read until then counts, although it is not all.
                _ = try await commit(reading.presented)
                throw error
            }
            try Task.checkCancellation()
            isLegible = isLegible && reading.presented.isLegible
            report.add(
                try await commit(reading.removePresented(), syncedAt: reading.isDone && isLegible ? begun : nil))
        } while !reading.isDone
        backendAnswered()
        return report
    }

    /// Takes in one item of a stream.
    ///
    /// - Throws: ``VaultError`` where it could not be written; then it is to be handed over again.
    package func receive(_ update: TransactionUpdate) async throws(VaultError) -> IntakeReport {
        let isOthers = update.customer.map { $0 != customer } ?? false
        switch update.content {
        case .failure(let error):
            backendAnswered(failing: error)
            // Something may have been lost with it.
            parts.work.unread.add(customer)
            return IntakeReport()
        case .declined(let productID):
            if !isOthers { try await endPending(productID) }
            return IntakeReport()
        case .evidence(let texts):
            var presented = await PresentedEvidence.verifying(texts, by: parts.verifier)
            // Who is not named cannot come into doubt.
            if update.customer != customer { presented.doubts = [] }
            guard isOthers else {
                let report = try await commit(presented, isClaimed: update.customer != nil)
                if report.unclaimed > 0 { parts.report(.unclaimed(report.unclaimed)) }
                return report
            }
            return try await putAside(presented)
        }
    }

    private func endPending(_ productID: Product.ID) async throws(VaultError) {
        try await serially { () async throws(VaultError) in
            guard try await currentState().pending.contains(where: { $0.productID == productID }) else { return }
            try await write(Intake(settledPending: [productID]))
        }
    }

    /// Puts aside what the backend says to be another customer's.
    private func putAside(_ presented: PresentedEvidence) async throws(VaultError) -> IntakeReport {
        for failure in presented.failures { parts.report(.unverified(failure.error, productID: failure.productID)) }
        var report = IntakeReport()
        report.failures = presented.failures.map(\.error)
        report.ignored = presented.ignored
        guard !presented.facts.isEmpty else { return report }
        let batch = CommitBatch(
            for: .whoeverOwnsIt(writingFor: nil), at: parts.clock.now, facts: presented.facts)
        if case .committed(let receipt) = try await parts.vault.commit(batch) {
            report.add(IntakeReport(receipt, of: batch))
        }
        return report
    }

    // MARK: From other processes, from time, from the catalog

    /// Looks whether another process has written about the customer, and takes over what it wrote.
    ///
    /// - Returns: Whether one has.
    /// - Throws: ``VaultError`` where the vault cannot be read; what is known stays.
    @discardableResult
    public func refresh() async throws(VaultError) -> Bool {
        try await serially { () async throws(VaultError) in try await catchUp() }
    }

    /// Records what time has changed until now, and notes in the vault when something changes next.
    ///
    /// Also where nothing has changed that an event tells of: whoever asks the vault whose turn it is must not be
    /// given the same answer for ever.
    func announceWhatIsDue() async throws(VaultError) {
        _ = try await serially { () async throws(VaultError) in try await write(Intake(notesWake: true)) }
    }

    /// Goes by another catalog from now on; answers and events follow.
    ///
    /// Balances stay: what a customer was given once a new catalog does not change.
    ///
    /// - Throws: ``VaultError`` where the changes cannot be written; the catalog then stays as it was.
    public func reload(_ catalog: Catalog) async throws(VaultError) {
        _ = try await serially { () async throws(VaultError) in try await write(Intake(catalog: catalog)) }
    }

    /// Asks a source for descriptions of the products of the catalog, and of those that the app asks for.
    ///
    /// Groups, features and what the source does not describe stay as they are. Where the source fails, or describes
    /// nothing, all stays.
    ///
    /// - Returns: Whether the catalog was taken over.
    /// - Throws: ``VaultError`` where the changes cannot be written.
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
