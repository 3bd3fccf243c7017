/// What a store asks a backend for, and what it takes from it.
extension Store {
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
        if let backend {
            do {
                report.add(try await readHistory(from: backend))
            } catch {
                if !(error is CancellationError) { note(failure: error) }
                throw error
            }
        }
        await deliverUnfinished()
        return report
    }

    /// Reads the whole history and all statuses and takes them in.
    @discardableResult
    func readHistory(from backend: any StoreBackend) async throws -> IntakeReport {
        let begun = clock.now
        var report = IntakeReport()
        var presented = PresentedEvidence()
        var isLegible = true
        do {
            var cursor: HistoryCursor?
            var pages = 0
            repeat {
                let (after, customer) = (cursor, customer)
                let page = try await clock.within(configuration.callDeadline) {
                    try await backend.history(for: customer, after: after)
                }
                presented.add(await PresentedEvidence.verifying(page.items, by: verifier))
                pages += 1
                guard page.next == nil || page.next != after && pages < configuration.maximumPages else {
                    throw StoreError(.endlessHistory, "the history has no end after \(pages) pages")
                }
                cursor = page.next
                // A history longer than that is written in parts, so that it need not be held whole.
                if presented.facts.count >= configuration.batchSize, cursor != nil {
                    isLegible = isLegible && presented.isLegible
                    report.add(try await take(presented))
                    presented = PresentedEvidence()
                }
            } while cursor != nil
            let customer = customer
            let statuses = try await clock.within(configuration.callDeadline) {
                try await backend.subscriptionStatuses(for: customer)
            }
            let texts = statuses.flatMap { [$0.transaction] + [$0.renewalInfo].compactMap { $0 } }
            presented.add(await PresentedEvidence.verifying(texts, by: verifier))
        } catch {
            // What was read until then counts, although it is not all.
            _ = try await take(presented)
            throw error
        }
        try Task.checkCancellation()
        isLegible = isLegible && presented.isLegible
        report.add(try await take(presented, syncedAt: isLegible ? begun : nil))
        note(backendFailure: nil)
        return report
    }

    /// Takes in one item of a stream.
    ///
    /// - Throws: ``VaultError`` where it could not be written; then it is to be handed over again.
    package func receive(_ update: TransactionUpdate) async throws(VaultError) -> IntakeReport {
        switch update.content {
        case .failure(let error):
            note(backendFailure: error)
            // Something may have been lost with it.
            wanting.send()
            return IntakeReport()
        case .declined(let productID):
            if update.customer == nil || update.customer == customer { try await settlePending(productID) }
            return IntakeReport()
        case .evidence(let texts):
            var presented = await PresentedEvidence.verifying(texts, by: verifier)
            var parked = 0
            if update.customer != customer {
                // Who is not named cannot come into doubt.
                presented.doubts = []
                parked = try await putAsideForeign(&presented, isNamed: update.customer != nil)
            }
            var report = try await take(presented)
            report.parked += parked
            return report
        }
    }

    private func settlePending(_ productID: Product.ID) async throws(VaultError) {
        try await serially { () async throws(VaultError) in
            try await restore()
            guard known.pending.contains(where: { $0.productID == productID }) else { return }
            try await write(Intake(settledPending: [productID]))
        }
    }

    /// Leaves what is the customer's by chain or token; the rest waits in the vault for whom it belongs to.
    ///
    /// - Parameter isNamed: Whether the backend says that it is another customer's.
    private func putAsideForeign(
        _ presented: inout PresentedEvidence, isNamed: Bool
    ) async throws(VaultError) -> Int {
        var foreign = presented.facts
        var unclaimed = 0
        if !isNamed {
            let routes = try await EvidenceRoutes(presented.facts, in: vault)
            presented.facts = routes.owned.first { $0.customer == customer }?.facts ?? []
            foreign = routes.owned.filter { $0.customer != customer }.flatMap(\.facts)
            if !routes.unclaimed.isEmpty {
                unclaimed = try await vault.park(routes.unclaimed, claimant: nil, at: clock.now)
                if unclaimed > 0 { report(.unclaimed(unclaimed)) }
            }
        } else {
            presented.facts = []
        }
        guard !foreign.isEmpty else { return unclaimed }
        return unclaimed + (try await vault.park(foreign, claimant: nil, at: clock.now))
    }
}
