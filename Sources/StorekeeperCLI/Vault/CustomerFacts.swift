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
    /// The bundle ids of the transactions and app transactions.
    let bundleIDs: Set<String>
    /// The refused environments, each with the products, other than consumables, of its transactions.
    let refused: [AppStore.Environment: Set<Product.ID>]

    /// Reads the facts of a customer.
    ///
    /// - Parameters:
    ///   - settings: The accepted app and environments, and the instant up to which learned facts count.
    /// - Throws: ``VaultError`` if the vault cannot be read.
    init(of customer: CustomerID, in vault: some TransactionalVault, settings: Settings) async throws(VaultError) {
        let limit = settings.asKnownAt ?? .distantFuture
        let record = try await vault.load(customer)
        let learned = record.facts.filter { $0.learnedAt <= limit }
        // A renewal info does not name an app. Like a notification, it counts only with a transaction of its chain, so
        // its app need not be checked.
        let facts = learned.filter { stored in
            guard let bundleID = settings.bundleID, let chain = stored.fact.chain else { return true }
            return chain.bundleID.hasSameBytes(as: bundleID)
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
        bundleIDs = Set(facts.compactMap { $0.fact.chain?.bundleID })
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
        broughtBy customer: CustomerID, learnedThrough instant: Instant, in vault: some TransactionalVault
    ) async throws(VaultError) -> [SetAside] {
        let parked = try await vault.parked(broughtBy: customer, limit: limit)
            .filter { $0.since <= instant }
        var found: [SetAside] = []
        for (fact, owner) in zip(parked.map(\.fact), try await vault.owners(of: parked.map(\.fact))) {
            let next = SetAside(originalID: fact.originalID, productID: fact.productID, owner: owner)
            // The purchase of a notification is named by the transaction inside it.
            if fact.notification == nil, owner != customer, !found.contains(next) { found.append(next) }
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
