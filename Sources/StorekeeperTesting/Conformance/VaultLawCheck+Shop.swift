package import Storekeeper

/// The products, tokens and drafts for the checks of a vault.
enum VaultShop {
    static let coins = Product(id: "coins.500", type: .consumable, grants: ["coins": 500])
    static let chest = Product(id: "chest", type: .consumable, grants: ["coins": 100, "gems": 5])
    static let catalog = Catalog(products: [coins, chest], groups: [], features: [])

    static let token = "6f9619ff-8b86-d011-b42d-00c04fc964ff"
    static let otherToken = "0b2f7a52-1d8c-4c4e-9f10-6a1f5b1a0c11"

    static func rule(_ policy: RefundPolicy = .debt, _ catalog: Catalog = catalog) -> LedgerRule {
        LedgerRule(catalog: catalog, policy: EntitlementPolicy(refundPolicy: policy))
    }

    /// Returns a purchase of coins.
    static func coins(_ id: Transaction.ID, quantity: Int64 = 1, token: String? = nil) -> TransactionDraft {
        var draft = TransactionDraft.purchase(of: coins, at: .day(0), id: id)
        draft.quantity = quantity
        draft.appAccountToken = token
        return draft
    }

    /// Returns a purchase of a non-consumable.
    static func badge(_ id: Transaction.ID, token: String? = nil) -> TransactionDraft {
        var draft = TransactionDraft.purchase(of: "badge", at: .day(0), id: id)
        draft.appAccountToken = token
        return draft
    }

    /// Returns a month of a subscription and its renewal info.
    static func gold(_ id: Transaction.ID) -> (TransactionDraft, RenewalInfoDraft) {
        let month = TransactionDraft.purchase(
            of: "gold.monthly", type: .autoRenewable, at: .day(0), expires: .day(31), group: "membership", id: id)
        return (month, RenewalInfoDraft(for: month))
    }

    /// Returns a notification with the App Store's state of a subscription.
    static func status(_ number: Int64, of month: TransactionDraft, at instant: Instant) -> NotificationDraft {
        NotificationDraft(status: number, of: month, signedAt: instant)
    }

    /// Returns the app transaction of a download.
    static func app(_ id: String, signedAt instant: Instant = .day(1)) -> AppTransactionDraft {
        var draft = AppTransactionDraft(signedAt: instant)
        draft.appTransactionID = id
        return draft
    }

    /// Returns an event about a product.
    static func event(_ product: Product.ID, at instant: Instant) -> StoreEvent.Change {
        StoreEvent.Change(
            at: instant, subject: .product(product), before: StoreEvent.Answer(word: "never", reason: "never"),
            after: StoreEvent.Answer(word: "entitled", reason: "active", productID: product, until: .day(99)))
    }
}

extension VaultLawCheck {
    /// Returns a batch for the checks.
    static func batch(
        _ drafts: [TransactionDraft], _ infos: [RenewalInfoDraft] = [], for customer: CustomerID = "anna",
        at instant: Instant = .day(1), rule: LedgerRule = VaultShop.rule()
    ) throws -> CommitBatch {
        CommitBatch(
            customer: customer, at: instant,
            facts: try drafts.map { try $0.verifiedFact() } + infos.map { try $0.verifiedFact() }, rule: rule)
    }

    /// Commits a batch that must be accepted.
    @discardableResult
    func commit(_ batch: CommitBatch) async throws -> CommitReceipt {
        switch try await vault.commit(batch) {
        case .committed(let receipt): return receipt
        case .stale(let version): throw ConformanceFailure("a batch was reported as stale at version \(version)")
        case .ownershipDiffers(let own):
            throw ConformanceFailure("a batch was divided, \(own.count) of its facts are own")
        case .refused(let refusal): throw ConformanceFailure("a batch was refused: \(refusal)")
        }
    }

    /// Commits facts for a customer.
    @discardableResult
    func learn(
        _ drafts: [TransactionDraft], _ infos: [RenewalInfoDraft] = [], for customer: CustomerID = "anna",
        at instant: Instant = .day(1), rule: LedgerRule = VaultShop.rule()
    ) async throws -> CommitReceipt {
        try await commit(Self.batch(drafts, infos, for: customer, at: instant, rule: rule))
    }

    /// Commits a batch with evidence that belongs to another customer, and returns the conflicts.
    func conflicts(of batch: CommitBatch) async throws -> [BindingConflict] {
        let aside = try await commit(batch).parked
        guard !aside.conflicts.isEmpty else {
            throw ConformanceFailure("evidence of another customer was accepted for one")
        }
        return aside.conflicts
    }

    /// Commits a batch that expects wrong owners of its facts, and returns the positions of the facts that the batch's
    /// customer owns.
    func division(of batch: CommitBatch) async throws -> [Int] {
        if case .ownershipDiffers(let own) = try await vault.commit(batch) { return own }
        throw ConformanceFailure("a batch was written although its expected ownership is wrong")
    }

    /// Presents facts without naming a customer, so that all facts are parked.
    ///
    /// - Returns: All the given facts, as parked facts.
    @discardableResult
    func parkForOwners(_ facts: [VerifiedFact], at instant: Instant) async throws -> ParkedFacts {
        try await vault.parkForOwners(facts, at: instant)
    }

    /// Executes one request to change a balance.
    func move(
        _ request: LedgerRequest, policy: RefundPolicy = .debt
    ) async throws -> Result<LedgerReceipt, LedgerRefusal> {
        let results = try await vault.move([request], policy: policy)
        guard let result = results.first, results.count == 1 else {
            throw ConformanceFailure("one request had \(results.count) results")
        }
        return result
    }

    /// Returns the amount of a customer's balance.
    func amount(_ balance: Balance.ID = "coins", of customer: CustomerID = "anna") async throws -> Int64 {
        try await vault.balances(of: customer).first { $0.id == balance }?.amount ?? 0
    }

    /// Grants a customer units without a purchase.
    func grant(_ quantity: Int64, of balance: Balance.ID = "coins", to customer: CustomerID = "anna") async throws {
        let request = LedgerRequest.grant(
            quantity, of: balance, to: customer, because: "a gift", key: "gift \(balance)", at: .day(1))
        guard case .success = try await move(request) else { throw ConformanceFailure("a gift was refused") }
    }

    /// Spends units of a balance, and throws an error if the balance is not sufficient.
    func spend(
        _ quantity: Int64, of balance: Balance.ID = "coins", by customer: CustomerID = "anna",
        key: LedgerRequest.Key = "sword"
    ) async throws {
        let request = LedgerRequest.spend(quantity, of: balance, by: customer, key: key, at: .day(2))
        let result = try await move(request)
        guard case .success = result else { throw ConformanceFailure("a spend was refused: \(result)") }
    }

    /// Runs a call in a task that was cancelled before it began.
    func cancelled<Outcome: Sendable>(_ call: @escaping @Sendable () async throws -> Outcome) async throws -> Outcome {
        try await withThrowingTaskGroup(of: Outcome.self) { group in
            group.cancelAll()
            group.addTask { try await call() }
            guard let outcome = try await group.next() else { throw ConformanceFailure("a task gave no result") }
            return outcome
        }
    }
}

extension TransactionalVault {
    /// Presents facts for their owners without naming a customer, so that all facts are parked.
    @discardableResult
    package func parkForOwners(_ facts: [VerifiedFact], at instant: Instant) async throws -> ParkedFacts {
        let batch = CommitBatch(for: .owner(primary: nil), at: instant, facts: facts)
        guard case .committed(let receipt) = try await commit(batch) else {
            throw ConformanceFailure("evidence without a named customer was refused")
        }
        return receipt.parked
    }
}
