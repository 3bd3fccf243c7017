import FoundationEssentials
import Storekeeper
import StorekeeperAppStore

/// A search of the desk: by customer, transaction, original transaction, order or account token.
///
/// Each lookup uses an index of the vault, so that its cost does not grow with the number of customers.
struct DeskSearch: Sendable {
    /// The way in which a customer was found.
    enum Way: String, CaseIterable, Sendable {
        case customer, token, original, transaction, order, prefix
    }

    /// A customer, with the way in which the customer was found.
    struct Hit: Sendable {
        let customer: CustomerID
        let way: Way
    }

    /// A purchase without an owner.
    struct Unowned: Sendable {
        let id: Transaction.ID
        /// The first known transaction of the purchase; `nil` if none is known.
        let purchase: Transaction?
        /// Whether the vault has the purchase.
        ///
        /// Otherwise, the purchase is fetched from Apple when it is assigned.
        let isStored: Bool
    }

    /// The result of asking Apple about an order.
    enum OrderLookup: Sendable {
        /// The text is not an order id.
        case notAsked
        /// The service has no client that can ask Apple.
        case impossible
        /// A page of another site has made the browser search, so Apple was not asked.
        case foreign
        case answered
        case failed(String)
    }

    /// The searched text, without the blanks and line breaks around it.
    let text: String
    /// The customers, in the order in which they were found, each once.
    private(set) var hits: [Hit] = []
    /// The purchases that were found and have no owner.
    private(set) var unowned: [Unowned] = []
    /// Whether more customers were found than are listed.
    private(set) var hasMore = false
    private(set) var orderLookup = OrderLookup.notAsked

    /// The maximum number of customers listed.
    static let maximumHits = 20
    /// The maximum length of a text, in bytes; ids are shorter.
    private static let maximumLength = 512

    /// Searches for a text.
    ///
    /// - Parameters:
    ///   - typed: The text as it was typed.
    ///   - app: The app and the environments of its transactions.
    ///   - appStore: The client for questions about orders; `nil` if the service has no client.
    ///   - isForeign: Whether a page of another site has made the browser search.
    init(
        _ typed: String, in vault: any TransactionalVault,
        app: (bundleID: String, environments: [AppStore.Environment]),
        appStore: AppStoreServerClient?, isForeign: Bool
    ) async throws {
        text = Self.trimmed(typed)
        guard !text.isEmpty, text.utf8.count <= Self.maximumLength, !text.utf8.contains(0) else { return }
        if try await vault.isKnown(CustomerID(rawValue: text)) { add(CustomerID(rawValue: text), .customer) }
        try await findToken(in: vault)
        try await findOriginal(in: vault)
        try await findTransaction(in: vault, app.bundleID, app.environments)
        if hits.isEmpty, unowned.isEmpty { try await findOrder(in: vault, appStore, isForeign) }
        if hits.isEmpty, unowned.isEmpty { try await findPrefix(in: vault) }
    }

    /// The customer that was found; `nil` if the search found several results or none.
    var only: CustomerID? { hits.count == 1 && unowned.isEmpty && !hasMore ? hits.first?.customer : nil }

    /// Returns a text without blanks, line breaks and invisible characters around it.
    static func trimmed(_ text: String) -> String {
        func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
            scalar.properties.isWhitespace || scalar.properties.generalCategory == .format
                || scalar.properties.generalCategory == .control
        }
        let scalars = text.unicodeScalars
        guard let first = scalars.firstIndex(where: { !isInvisible($0) }),
            let last = scalars.lastIndex(where: { !isInvisible($0) })
        else { return "" }
        return String(scalars[first...last])
    }

    private mutating func add(_ customer: CustomerID, _ way: Way) {
        guard !hits.contains(where: { $0.customer == customer }) else { return }
        if hits.count < Self.maximumHits { hits.append(Hit(customer: customer, way: way)) } else { hasMore = true }
    }

    // MARK: Lookups

    private mutating func findToken(in vault: any TransactionalVault) async throws(VaultError) {
        guard let token = UUID(uuidString: text) else { return }
        for spelling in [token.uuidString, token.uuidString.lowercased()] {
            let customer = CustomerID(rawValue: spelling)
            if try await vault.isKnown(customer) { add(customer, .customer) }
        }
        if let holder = try await vault.holders(of: [.token(token)])[.token(token)] { add(holder, .token) }
    }

    private mutating func findOriginal(in vault: any TransactionalVault) async throws(VaultError) {
        try await add(vault.chains(originalID: Transaction.ID(text)), .original, in: vault)
    }

    private mutating func findTransaction(
        in vault: any TransactionalVault, _ bundleID: String, _ environments: [AppStore.Environment]
    ) async throws(VaultError) {
        let chains = try await vault.chains(ofTransaction: Transaction.ID(text), bundleID, environments)
        try await add(chains, .transaction, in: vault)
    }

    private mutating func findOrder(
        in vault: any TransactionalVault, _ appStore: AppStoreServerClient?, _ isForeign: Bool
    ) async throws {
        guard Self.isOrderID(text) else { return }
        // The browser sends the operator's key with the request of any page, and each request to Apple counts toward
        // the limits of the app.
        guard !isForeign else {
            orderLookup = .foreign
            return
        }
        guard let appStore else {
            orderLookup = .impossible
            return
        }
        do {
            let facts = try await appStore.transactions(ofOrder: text).compactMap(VerifiedFact.init)
            orderLookup = .answered
            for (fact, owner) in zip(facts, try await vault.owners(of: facts)) {
                if let owner {
                    add(owner, .order)
                } else if let transaction = fact.transaction {
                    let isStored = try await !vault.chains(originalID: transaction.originalID).isEmpty
                    add(Unowned(id: transaction.originalID, purchase: transaction, isStored: isStored))
                }
            }
        } catch let error as AppStoreServerError {
            orderLookup = .failed(error.message)
        }
    }

    /// Returns whether a text may be the id of an order on an invoice of Apple, such as `MW12ABC3DE`.
    static func isOrderID(_ text: String) -> Bool {
        (8...16).contains(text.utf8.count) && text.hasPrefix("M")
            && text.utf8.allSatisfy { (48...57).contains($0) || (65...90).contains($0) }
    }

    /// Finds the customers whose ids begin with the text.
    ///
    /// In the order of ids, these customers directly follow the text.
    private mutating func findPrefix(in vault: any TransactionalVault) async throws(VaultError) {
        for customer in try await vault.customers(after: CustomerID(rawValue: text), limit: Self.maximumHits + 1) {
            guard customer.rawValue.utf8.starts(with: text.utf8) else { break }
            add(customer, .prefix)
        }
    }

    private mutating func add(_ chains: [ChainID], _ way: Way, in vault: any TransactionalVault)
        async throws(VaultError)
    {
        guard !chains.isEmpty else { return }
        let holders = try await vault.holders(of: chains.map { .chain($0) })
        for chain in chains {
            if let holder = holders[.chain(chain)] {
                add(holder, way)
            } else {
                let purchase = try await vault.parkedPurchase(of: .chain(chain))
                add(Unowned(id: chain.originalID, purchase: purchase, isStored: true))
            }
        }
    }

    private mutating func add(_ purchase: Unowned) {
        if !unowned.contains(where: { $0.id == purchase.id }) { unowned.append(purchase) }
    }
}

extension TransactionalVault {
    /// Returns whether the vault has data of a customer; reads few rows even if the customer has many.
    func isKnown(_ customer: CustomerID) async throws(VaultError) -> Bool {
        let (version, end) = try await version(of: customer)
        if version > 0 || end.number > 0 { return true }
        return try await !bindings(of: customer).isEmpty
    }

    /// Returns the newest event of each of the customers whose answers have changed last, the newest first.
    ///
    /// Only the end of the vault's feed is read, so that the number of rows does not depend on the size of the vault.
    func recentChanges(limit: Int) async throws(VaultError) -> [StoreEvent] {
        let end = try await FeedCursor.newest(in: self).place.number
        var newest: [StoreEvent] = []
        // Other rows of the feed have places, too, so that a part of the feed may have few events.
        for length in [Int64(128), 1024] where newest.count < limit {
            let events = try await self.events(after: FeedPlace(max(end - length, 0)), of: nil, limit: Int(length))
            newest = []
            for event in events.reversed() where event.customer != .nobody && event.notification == nil {
                if !newest.contains(where: { $0.customer == event.customer }) { newest.append(event) }
            }
        }
        return Array(newest.prefix(limit))
    }

    /// Returns the chains of the stored transactions with the given id, in any of several environments.
    func chains(
        ofTransaction id: Transaction.ID, _ bundleID: String, _ environments: [AppStore.Environment]
    ) async throws(VaultError) -> [ChainID] {
        let keys = environments.map { TransactionKey(bundleID: bundleID, environment: $0, transactionID: id) }
        return try await read(Footprint(keys.map { .copies(of: $0) })) { tables throws(VaultError) in
            var chains: [ChainID] = []
            for key in keys {
                for chain in try tables.copies(of: key).map(ChainID.init) where !chains.contains(chain) {
                    chains.append(chain)
                }
            }
            return chains
        }
    }
}
