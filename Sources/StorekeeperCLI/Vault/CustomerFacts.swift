import Storekeeper

/// The facts about a customer that a vault had learned by an instant.
struct CustomerFacts {
    let customer: CustomerID
    let history: PurchaseHistory
    let pending: [PendingPurchase]
    let grants: [AccessGrant]
    let account: DatedAccount
    /// Whether a product without a fact was certainly never bought.
    let isComplete: Bool
    /// Whether the vault has no data about the customer.
    let isEmpty: Bool
    /// The purchases that were imported for the customer and put aside, because they belong to another customer.
    let setAside: [SetAside]
    /// The bundle ids of the transactions.
    let bundleIDs: Set<String>
    /// The refused environments, each with the products, other than consumables, of its transactions.
    let refused: [AppStore.Environment: Set<Product.ID>]

    /// Reads the facts of a customer.
    ///
    /// - Parameters:
    ///   - settings: The accepted app and environments, and the instant up to which learned facts count.
    /// - Throws: ``VaultError`` if the vault cannot be read.
    init(of customer: CustomerID, in vault: some Vault, settings: Settings) async throws(VaultError) {
        let limit = settings.asKnownAt ?? .distantFuture
        let record = try await vault.load(customer)
        let learned = record.facts.filter { $0.learnedAt <= limit }
        // A renewal info does not name an app. It counts only with a transaction of its chain, so its app need not be
        // checked.
        let facts = learned.filter { stored in
            guard let bundleID = settings.bundleID, let transaction = stored.fact.transaction else { return true }
            return transaction.appBundleID == bundleID
        }
        let entries = try await vault.account(of: customer, through: record.lastEntry.number).filter { $0.at <= limit }
        var refused: [AppStore.Environment: Set<Product.ID>] = [:]
        for transaction in facts.lazy.compactMap(\.fact.transaction)
        where !settings.environments.contains(transaction.environment) {
            if transaction.productType != .consumable {
                refused[transaction.environment, default: []].insert(transaction.productID)
            }
        }
        self.customer = customer
        history = PurchaseHistory(verified: facts.lazy.map(\.fact))
        self.refused = refused
        pending = record.pending.filter { $0.startedAt <= limit }
        grants = [AccessGrant](recordedIn: entries)
        account = DatedAccount(entries.filter(\.kind.movesBalance), facts: learned)
        bundleIDs = Set(facts.compactMap { $0.fact.transaction?.appBundleID })
        // The vault stores only the newest instant at which the complete history was read. If this instant is after the
        // limit, an earlier complete history is assumed, provided that the vault had learned a fact by the limit.
        isComplete = record.syncedAt.map { $0 <= limit || !learned.isEmpty } ?? false
        isEmpty = learned.isEmpty && entries.isEmpty
        setAside = try await SetAside.all(broughtBy: customer, learnedThrough: limit, in: vault)
    }

    /// The diagnostics about the facts that count.
    var diagnostics: [Diagnostic] {
        refused.flatMap { environment, products in
            products.map { .environmentRefused(environment, $0) }
        }
    }
}

/// A customer's account in which each entry is dated by its cause, and not by the time at which the vault learned of
/// the cause.
///
/// A credit counts from the date of the purchase, a claw-back from the date of the refund, and a restore from the
/// newest signature of the transaction. Every other entry counts from the time at which it was written. If one of these
/// dates is later than the time at which its entry was written, the time of writing is used, so that units are always
/// credited before they are spent.
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
        case .spend, .grant, .grantAccess, .revokeAccess, .transfer: return nil
        }
    }

    /// Returns the balances at an instant, by name.
    ///
    /// - Throws: ``VaultError`` if a sum exceeds 64 bits.
    func balances(at instant: Instant) throws(VaultError) -> [Balance.ID: Balance] {
        var balances: [Balance.ID: Balance] = [:]
        for (at, entry) in entries {
            let balance = balances[entry.balance] ?? Balance(id: entry.balance)
            balances[entry.balance] = at <= instant ? try balance.adding(entry.kind, entry.change) : balance
        }
        return balances
    }

    /// Returns the first instant after the given instant at which a balance changes; `nil` if no balance changes later.
    func nextChange(after instant: Instant) -> Instant? { entries.lazy.map(\.at).filter { $0 > instant }.min() }
}

/// A purchase that was imported for a customer and put aside, because it belongs to another customer.
struct SetAside: Hashable {
    let originalID: Transaction.ID
    let productID: Product.ID?
    /// The owner; `nil` if it has none any more.
    let owner: CustomerID?

    /// The maximum number of parked facts that are read.
    private static let limit = 200

    /// Returns the purchases, each once, in the order in which they were put aside.
    static func all(
        broughtBy customer: CustomerID, learnedThrough instant: Instant, in vault: some Vault
    ) async throws(VaultError) -> [SetAside] {
        let parked = try await vault.features.vault.parked(broughtBy: customer, limit: limit)
            .filter { $0.since <= instant }
        var found: [SetAside] = []
        for (fact, owner) in zip(parked.map(\.fact), try await vault.owners(of: parked.map(\.fact))) {
            let next =
                switch fact.content {
                case .transaction(let transaction):
                    SetAside(originalID: transaction.originalID, productID: transaction.productID, owner: owner)
                case .renewalInfo(let info):
                    SetAside(originalID: info.originalTransactionID, productID: info.currentProductID, owner: owner)
                }
            if owner != customer, !found.contains(next) { found.append(next) }
        }
        return found
    }

    /// A sentence that names the purchase and its owner, without its first word, `The`, and its period.
    var sentence: String {
        let what = "purchase \(originalID)\(productID.map { " of \($0)" } ?? "")"
        return "\(what), imported for this customer, "
            + (owner.map { "belongs to \($0) and was put aside" } ?? "has no owner and was put aside")
            + ": see 'storekeeper vault parked'"
    }
}
