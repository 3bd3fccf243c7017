public import Storekeeper

/// Compares a vault with the App Store, customer by customer, and updates the vault.
///
/// The App Store is asked for the whole history and the statuses of each customer with evidence in the vault. Evidence
/// that the vault does not have is verified and stored. No evidence is removed from the vault. If the vault already has
/// the App Store's evidence of a customer, nothing is written. A reconciliation does not finish transactions. An
/// unowned transaction is claimed only if ``Configuration/claims`` is `true`.
///
/// The vault stores the position of a run, so that the next run can continue an interrupted run. If a run compares a
/// customer again, no evidence counts twice.
public struct Reconciliation: Sendable {
    /// The settings of a reconciliation.
    public struct Configuration: Sendable {
        /// The settings of the stores that compute answers.
        public var store: StoreConfiguration
        /// Whether the vault is updated; if `false`, nothing is written, and the position is not stored.
        public var repairs: Bool
        /// Whether transactions without an owner are claimed for the customer whose Apple Account has them.
        ///
        /// Use `true` only if no two customers share an Apple Account, because the first claim of a chain is final.
        public var claims: Bool
        /// The number of customers to compare at the same time, 1 or more.
        public var concurrency: Int

        /// Creates a configuration.
        public init(
            store: StoreConfiguration = StoreConfiguration(), repairs: Bool = true, claims: Bool = false,
            concurrency: Int = 8
        ) {
            self.store = store
            self.repairs = repairs
            self.claims = claims
            self.concurrency = max(concurrency, 1)
        }
    }

    private let configuration: Configuration
    private let client: AppStoreServerClient
    private let vault: any TransactionalVault
    private let verifier: any TransactionVerifier
    private let learn: @Sendable ([String]) async -> Void
    private let clock: any StoreClock

    /// Creates a reconciliation.
    ///
    /// - Parameters:
    ///   - configuration: The settings.
    ///   - client: The client of the App Store Server API.
    ///   - vault: The vault to compare.
    ///   - verifier: Verifies the App Store's evidence.
    ///   - learn: Receives the App Store's evidence before it is verified, for example to request revocation statuses.
    ///   - clock: The clock that determines the time of the answers before and after the update.
    public init(
        _ configuration: Configuration = Configuration(), client: AppStoreServerClient, vault: any Vault,
        verifier: any TransactionVerifier, learn: @escaping @Sendable ([String]) async -> Void = { _ in },
        clock: any StoreClock = WallClock()
    ) {
        self.configuration = configuration
        self.client = client
        self.vault = vault.implementation.vault
        self.verifier = verifier
        self.learn = learn
        self.clock = clock
    }

    // MARK: All customers

    /// Compares all customers, or the remaining customers of an interrupted run.
    ///
    /// - Parameters:
    ///   - isFromStart: Whether to begin with the first customer, ignoring the stored position.
    ///   - onProgress: Receives the number of compared customers after each customer.
    ///   - onDifference: Receives each customer with a difference, in order of id.
    /// - Returns: The results, including the results of the interrupted run.
    /// - Throws: ``AppStoreServerError`` if the App Store cannot be reached or refuses the key, `VaultError`,
    ///   `CancellationError`. The next run continues after the last compared customer.
    public func run(
        isFromStart: Bool = false, onProgress: (Int) -> Void = { _ in },
        onDifference: (CustomerDifference) -> Void = { _ in }
    ) async throws -> ReconciliationReport {
        var place = ReconciliationPlace()
        if configuration.repairs, !isFromStart, let kept = ReconciliationPlace(try await vault.cursor(of: name)),
            !kept.isDone
        {
            place = kept
            place.report.resumed = kept.report.compared
        }
        onProgress(place.report.compared)
        while true {
            try Task.checkCancellation()
            let page = try await vault.customers(after: place.last, limit: 4 * configuration.concurrency)
            try await compare(page) { customer, difference, requests in
                place.report.requests += requests
                place.report.add(difference)
                place.report.compared += 1
                place.last = customer
                if configuration.repairs { try await vault.setCursor(place.cursor, of: name) }
                if !difference.isEmpty { onDifference(difference) }
                onProgress(place.report.compared)
            }
            guard page.isEmpty else { continue }
            place.isDone = true
            if configuration.repairs { try await vault.setCursor(place.cursor, of: name) }
            return place.report
        }
    }

    /// Returns the number of customers to compare.
    public func customerCount() async throws(VaultError) -> Int {
        var (count, last): (Int, CustomerID?) = (0, nil)
        while true {
            let page = try await vault.customers(after: last, limit: 10_000)
            guard let end = page.last else { return count }
            count += page.count
            last = end
        }
    }

    private var name: String { "reconciliation:\(client.configuration.bundleID)" }

    /// Compares several customers concurrently.
    ///
    /// - Parameter body: Receives each customer's difference and number of requests, in the order of the customers. The
    ///   closure is called as soon as this customer and all previous customers have been compared.
    private func compare(
        _ customers: [CustomerID], _ body: (CustomerID, CustomerDifference, Int) async throws -> Void
    ) async throws {
        var found: [Int: (CustomerDifference, Int)] = [:]
        var done = 0
        try await withThrowingTaskGroup(of: (Int, (CustomerDifference, Int)).self) { group in
            var next = 0
            while done < customers.count {
                while next < customers.count, next - done - found.count < configuration.concurrency {
                    let (index, customer) = (next, customers[next])
                    group.addTask { (index, try await compare(customer)) }
                    next += 1
                }
                guard let (index, result) = try await group.next() else { break }
                found[index] = result
                while let (difference, requests) = found.removeValue(forKey: done) {
                    try await body(customers[done], difference, requests)
                    done += 1
                }
            }
        }
    }

    // MARK: One customer

    /// Compares one customer, and updates the vault if ``Configuration/repairs`` is `true`.
    ///
    /// - Returns: The difference, and the number of requests. No request is made about a customer without evidence of
    ///   the app in the vault.
    /// - Throws: As ``run(isFromStart:onProgress:onDifference:)``.
    public func compare(_ customer: CustomerID) async throws -> (difference: CustomerDifference, requests: Int) {
        var difference = CustomerDifference(of: customer)
        let record = try await vault.load(customer)
        let known = record.facts.map(\.fact)
        let environments = Set(client.environments)
        let bundleID = client.configuration.bundleID
        let anchors = HistoryPosition.ordered(
            VaultAnchors.anchors(in: known, bundleID: bundleID).filter { environments.contains($0.environment) })
        guard !anchors.isEmpty else { return (difference, 0) }
        var (items, requests): ([String], Int) = ([], 0)
        var asked = Set(anchors.map(\.environment))
        for anchor in anchors {
            do {
                let evidence = try await client.evidence(of: anchor.id, in: anchor.environment)
                items += evidence.items
                requests += evidence.requestCount
            } catch let error as AppStoreServerError where !error.endsReconciliation {
                // The evidence from the customer's other anchors is compared nevertheless.
                difference.refusal = error
                asked.remove(anchor.environment)
            }
        }
        guard !items.isEmpty || difference.refusal == nil else { return (difference, requests) }
        await learn(items)
        let evidence = await Self.verified(items, by: verifier)
        difference.failures = evidence.failures
        let comparison = EvidenceComparison(of: evidence.facts, with: known) {
            $0.bundleID.hasSameBytes(as: bundleID) && asked.contains($0.environment)
        }
        // A text that could not be verified may be a transaction that the App Store seems not to have returned, so such
        // transactions are not reported.
        difference.unknown = evidence.failures.isEmpty ? comparison.unknown : []
        let facts = try await own(comparison, of: customer, &difference)
        let isComplete = evidence.failures.isEmpty && difference.refusal == nil
        guard configuration.repairs, !facts.isEmpty || record.syncedAt == nil && difference.refusal == nil else {
            return (difference, requests)
        }
        try await repair(facts, isComplete: isComplete, &difference)
        return (difference, requests)
    }

    @concurrent
    private static func verified(
        _ items: [String], by verifier: any TransactionVerifier
    ) async -> (facts: [VerifiedFact], failures: [VerificationError]) {
        var (facts, failures): ([VerifiedFact], [VerificationError]) = ([], [])
        for item in items {
            let evidence = verifier.verify(item)
            if let fact = VerifiedFact(evidence) { facts.append(fact) }
            if let error = evidence.error { failures.append(error) }
        }
        return (facts, failures)
    }

    /// Returns the facts of a comparison that should be stored for the customer.
    ///
    /// A fact of another customer is not returned. An unowned transaction is returned if it should be claimed. An
    /// unowned transaction is also returned if the vault does not have its chain, so that the transaction is parked.
    private func own(
        _ comparison: EvidenceComparison, of customer: CustomerID, _ difference: inout CustomerDifference
    ) async throws(VaultError) -> [VerifiedFact] {
        let owners = try await vault.owners(of: comparison.facts)
        var own: [VerifiedFact] = []
        var others: Set<TransactionKey> = []
        for (fact, owner) in zip(comparison.facts, owners) {
            if owner == customer || owner == nil && configuration.claims {
                own.append(fact)
                continue
            }
            guard let transaction = fact.transaction else { continue }
            others.insert(TransactionKey(transaction))
            guard owner == nil else { continue }
            difference.unclaimed.append(TransactionKey(transaction))
            // If the vault already has the chain, the evidence is already parked. Storing it again in every run has no
            // effect.
            let chain = ChainID(transaction)
            if try await !vault.chains(originalID: chain.originalID).contains(chain) { own.append(fact) }
        }
        difference.missing = comparison.missing.map(TransactionKey.init).filter { !others.contains($0) }
        difference.changed = comparison.changed.map(TransactionKey.init).filter { !others.contains($0) }
        let renewed = Set(own.compactMap(\.renewalInfo?.originalTransactionID))
        difference.renewals = comparison.renewals.map(\.originalTransactionID).filter(renewed.contains)
        return own
    }

    /// Stores the missing evidence, and records the changed answers.
    private func repair(
        _ facts: [VerifiedFact], isComplete: Bool, _ difference: inout CustomerDifference
    ) async throws {
        let store = try await Store.open(
            customer: difference.customer, configuration: configuration.store, vault: vault, verifier: verifier,
            clock: clock)
        let before = store.snapshot
        let report = try await store.ingest(
            facts.map(\.jwsRepresentation), isComplete: isComplete, isClaimed: configuration.claims)
        difference.isRepaired = difference.isRepairable
        for entry in report.entries { difference.balances[entry.balance, default: 0] &+= entry.change }
        let after = store.snapshot
        let now = after.now(byClock: clock.now)
        for product in after.resolution.products.map(\.id).sorted() {
            let (old, new) = (before.entitlement(for: product, at: now), after.entitlement(for: product, at: now))
            // The complete history can turn the answer `unknown` into `never`, which is not reported as a change.
            guard old.word != new.word, new != .never else { continue }
            difference.answers.append(
                CustomerDifference.AnswerChange(productID: product, before: old.word, after: new.word))
        }
    }
}

extension AppStoreServerError {
    /// Whether the comparisons of all other customers would fail with the same error.
    fileprivate var endsReconciliation: Bool {
        switch code {
        case .unauthorized, .unreachable, .deadlineExceeded, .rateLimited, .suspended, .noHost: true
        default: false
        }
    }
}
