import Storekeeper

/// What a vault knows of a customer, as of an instant.
struct CustomerFacts {
    let customer: CustomerID
    let history: PurchaseHistory
    let pending: [PendingPurchase]
    let account: DatedAccount
    /// Whether silence about a product means that it was never bought.
    let isComplete: Bool
    /// Whether the vault has nothing of the customer.
    let isEmpty: Bool
    /// The apps that the facts are about.
    let bundleIDs: Set<String>
    /// The environments of the facts that are not accepted, and the products of each that are not consumables.
    let refused: [AppStore.Environment: Set<Product.ID>]

    /// Reads what there is.
    ///
    /// - Parameters:
    ///   - settings: Which app and environments count, and what had been learned by when.
    /// - Throws: ``VaultError`` where the vault cannot be read.
    init(of customer: CustomerID, in vault: some Vault, settings: Settings) async throws(VaultError) {
        let limit = settings.asKnownAt ?? .distantFuture
        let record = try await vault.load(customer)
        let learned = record.facts.filter { $0.learnedAt <= limit }
        // Renewal infos name no app; they count beside a transaction of their chain only.
        let facts = learned.filter { stored in
            guard let bundleID = settings.bundleID, let transaction = stored.fact.transaction else { return true }
            return transaction.appBundleID == bundleID
        }
        let entries = try await vault.account(of: customer, through: record.lastEntry.number).filter { $0.at <= limit }
        var history = PurchaseHistory()
        history.merge(facts.lazy.compactMap(\.fact.transaction).map(VerificationResult.verified))
        _ = history.merge(
            facts.lazy.compactMap(\.fact.renewalInfo).map { CheckedEvidence.renewalInfo(.verified($0)) })

        var refused: [AppStore.Environment: Set<Product.ID>] = [:]
        for transaction in facts.lazy.compactMap(\.fact.transaction)
        where !settings.environments.contains(transaction.environment) {
            if transaction.productType != .consumable {
                refused[transaction.environment, default: []].insert(transaction.productID)
            }
        }
        self.customer = customer
        self.history = history
        self.refused = refused
        pending = record.pending.filter { $0.startedAt <= limit }
        account = DatedAccount(entries, facts: learned)
        bundleIDs = Set(facts.compactMap { $0.fact.transaction?.appBundleID })
        // The vault keeps only the last time that the whole history was read. What was learned before it mostly came
        // with an earlier whole reading; before anything was learned, nothing was known.
        isComplete = record.syncedAt.map { $0 <= limit || !learned.isEmpty } ?? false
        isEmpty = learned.isEmpty && entries.isEmpty
    }

    /// What a person should know about what is counted.
    var diagnostics: [Diagnostic] {
        refused.flatMap { environment, products in
            products.map { .environmentRefused(environment, $0) }
        }
    }
}

/// A customer's account by the instants at which things happened, not those at which we learned of them.
///
/// A purchase counts from its own date and a refund from its own; all else from when it was written. Nothing counts from
/// later than it was written, so that what was spent was there before.
struct DatedAccount {
    private let entries: [(at: Instant, entry: LedgerEntry)]

    init(_ entries: [LedgerEntry], facts: [StoredFact]) {
        var copies: [TransactionKey: [(learnedAt: Instant, transaction: Transaction)]] = [:]
        for stored in facts {
            guard let transaction = stored.fact.transaction, transaction.productType == .consumable else { continue }
            copies[TransactionKey(transaction), default: []].append((stored.learnedAt, transaction))
        }
        self.entries = entries.map { entry in
            guard case .transaction(let key, _, _) = entry.cause, let known = copies[key] else {
                return (entry.at, entry)
            }
            let transactions = known.filter { $0.learnedAt <= entry.at }.map(\.transaction)
            return (min(Self.instant(of: entry, copies: transactions) ?? entry.at, entry.at), entry)
        }
    }

    private static func instant(of entry: LedgerEntry, copies: [Transaction]) -> Instant? {
        switch entry.kind {
        case .credit: return copies.map(\.purchasedAt).min()
        case .clawBack:
            let refunds = copies.filter { $0.revokedAt != nil }
            guard let newest = refunds.max(by: { $0.signedAt < $1.signedAt }) else { return nil }
            return newest.revokedAt.map { max($0, newest.purchasedAt) }
        case .restore: return copies.map(\.signedAt).max()
        case .spend, .grant: return nil
        }
    }

    /// The balances at an instant, by name.
    ///
    /// - Throws: ``VaultError`` where a sum is greater than any 64-bit number.
    func balances(at instant: Instant) throws(VaultError) -> [Balance.ID: Balance] {
        var balances: [Balance.ID: Balance] = [:]
        for (at, entry) in entries {
            let balance = balances[entry.balance] ?? Balance(id: entry.balance)
            balances[entry.balance] = at <= instant ? try balance.adding(entry.kind, entry.change) : balance
        }
        return balances
    }

    /// The first instant after another at which something is counted.
    func nextChange(after instant: Instant) -> Instant? { entries.lazy.map(\.at).filter { $0 > instant }.min() }
}
