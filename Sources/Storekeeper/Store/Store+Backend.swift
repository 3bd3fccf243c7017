import FoundationEssentials

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
    func receive(_ update: TransactionUpdate) async throws(VaultError) -> IntakeReport {
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
        guard !presented.facts.isEmpty else { return 0 }
        let own = isNamed ? [] : try await ownFacts(among: presented.facts)
        let foreign = presented.facts.indices.filter { !own.contains($0) }.map { presented.facts[$0] }
        guard !foreign.isEmpty else { return 0 }
        presented.facts = own.sorted().map { presented.facts[$0] }
        let parked = try await vault.park(foreign, claimant: nil, at: clock.now)
        if !isNamed, parked > 0 { report(.unclaimed(parked)) }
        return parked
    }

    /// The positions of the facts that are the customer's by their chain or token.
    private func ownFacts(among facts: [VerifiedFact]) async throws(VaultError) -> Set<Int> {
        var subjects: Set<BindingSubject> = []
        var infoChains: [Int: [ChainID]] = [:]
        for (position, fact) in facts.enumerated() {
            switch fact.content {
            case .transaction(let transaction):
                subjects.insert(.chain(ChainID(transaction)))
                if let token = transaction.appAccountToken { subjects.insert(.token(token)) }
            case .renewalInfo(let info):
                let chains = try await vault.chains(originalID: info.originalTransactionID)
                infoChains[position] = chains.filter { $0.environment == info.environment }
                subjects.formUnion(infoChains[position]?.map(BindingSubject.chain) ?? [])
            }
        }
        let holders = try await vault.holders(of: Array(subjects))
        var own: Set<Int> = []
        var ownChains: Set<ChainID> = []
        for (position, fact) in facts.enumerated() {
            guard let transaction = fact.transaction else { continue }
            let chain = ChainID(transaction)
            let token = transaction.appAccountToken
            let holder =
                holders[.chain(chain)] ?? token.flatMap { holders[.token($0)] }
                ?? token.map { CustomerID(rawValue: $0.uuidString) }
            guard holder == customer else { continue }
            own.insert(position)
            ownChains.insert(chain)
        }
        for (position, fact) in facts.enumerated() {
            guard let info = fact.renewalInfo else { continue }
            let isOwn =
                infoChains[position]?.contains { holders[.chain($0)] == customer } == true
                || ownChains.contains {
                    $0.originalID == info.originalTransactionID && $0.environment == info.environment
                }
            if isOwn { own.insert(position) }
        }
        return own
    }
}
