/// What can be asked, by the names of StoreKit 2.
///
/// Questions about answers need no waiting and never fail: of an id that nobody knows the answer is `never`, or
/// `unknown` where the evidence is not complete. Questions about single transactions read what the store holds.
extension Store {
    /// All that is known at this moment, as a value that never changes.
    public nonisolated var snapshot: StoreSnapshot { publication.snapshot }

    // MARK: Answers

    /// Asks the newest snapshot about an instant, or about now; see ``StoreSnapshot/now(byClock:)``.
    private nonisolated func ask<Answer>(
        at instant: Instant? = nil, _ question: (StoreSnapshot, Instant) -> Answer
    ) -> Answer {
        let snapshot = snapshot
        return question(snapshot, instant ?? snapshot.now(byClock: parts.clock.now))
    }

    /// What the customer has of a product, and why: at an instant in UTC, or now.
    public nonisolated func entitlement(for id: Product.ID, at instant: Instant? = nil) -> EntitlementAnswer {
        ask(at: instant) { $0.entitlement(for: id, at: $1) }
    }

    /// Whether the customer has access to a product now.
    public nonisolated func isEntitled(_ id: Product.ID) -> Bool { ask { $0.isEntitled(id, at: $1) } }

    /// Whether the customer has a feature, and why: at an instant in UTC, or now.
    public nonisolated func feature(_ id: Feature.ID, at instant: Instant? = nil) -> EntitlementAnswer {
        ask(at: instant) { $0.feature(id, at: $1) }
    }

    /// Whether the customer has a feature now.
    public nonisolated func hasFeature(_ id: Feature.ID) -> Bool { ask { $0.hasFeature(id, at: $1) } }

    /// The transactions that entitle the customer now; see ``StoreSnapshot/currentEntitlements(at:)``.
    public nonisolated var currentEntitlements: [Transaction] { ask { $0.currentEntitlements(at: $1) } }

    /// The statuses of a group now, the highest service first.
    ///
    /// - Parameter group: The group, by its id or name.
    public nonisolated func subscriptionStatuses(group: String) -> [SubscriptionStatus] {
        ask { $0.subscriptionStatuses(group: group, at: $1) }
    }

    /// The status that gives the highest service of a group now; `nil` before the first purchase.
    public nonisolated func highestStatus(group: String) -> SubscriptionStatus? {
        ask { $0.highestStatus(group: group, at: $1) }
    }

    /// What the customer has of something that is counted.
    public nonisolated func balance(of id: Balance.ID) -> Balance { snapshot.balance(of: id) }

    // MARK: As StoreHelper asks

    /// Whether the customer has something of a product now; see ``StoreSnapshot/isPurchased(_:at:)``.
    public nonisolated func isPurchased(_ id: Product.ID) -> Bool { ask { $0.isPurchased(id, at: $1) } }

    /// The products that the app asks for and no catalog knows: misspelt, not yet approved, withdrawn.
    public nonisolated var invalidProductIDs: Set<Product.ID> {
        let catalog = snapshot.resolution.catalog
        return parts.configuration.requestedProductIDs.filter { catalog.product($0) == nil }
    }

    // MARK: Transactions

    /// The newest copies of all transactions, newest purchase first.
    ///
    /// - Throws: ``VaultError`` where the vault has to be read again and cannot be.
    public var allTransactions: [Transaction] {
        get async throws(VaultError) {
            try await settledState().live.history.newestFirst
        }
    }

    /// The latest transaction of a product, revoked ones included; `nil` before the first.
    ///
    /// - Throws: ``VaultError`` where the vault has to be read again and cannot be.
    public func latestTransaction(for id: Product.ID) async throws(VaultError) -> Transaction? {
        try await settledState().live.history.latestTransaction(for: id)
    }

    /// Why the customer has, or has not, access to a product: at an instant in UTC, or now.
    ///
    /// Explains what the evidence says; ``entitlement(for:at:)`` also weighs how complete and fresh it is.
    ///
    /// - Throws: ``VaultError`` where the vault has to be read again and cannot be.
    public func explain(_ id: Product.ID, at instant: Instant? = nil) async throws(VaultError) -> Explanation {
        let state = try await settledState()
        return state.live.resolver.explain(
            id, in: state.doubted.history, at: instant ?? state.live.resolution.now(byClock: parts.clock.now),
            pending: state.pending)
    }

    /// How much of a purchase of a consumable was used, for Apple's consumption requests.
    ///
    /// - Parameter key: The transaction.
    /// - Returns: One for each balance that it has added to; empty where it has added to none.
    /// - Throws: ``VaultError`` where the vault cannot be read.
    public func consumption(of key: TransactionKey) async throws(VaultError) -> [Consumption] {
        Consumption.of(key, in: try await parts.vault.account(of: customer))
    }

    // MARK: Listening

    /// The answers that change, from a place on; see ``StoreEvents``.
    ///
    /// - Parameter place: After which to begin: that of the last event dealt with; ``FeedPlace/start`` for the first.
    public nonisolated func events(after place: FeedPlace = .start) -> StoreEvents {
        StoreEvents(parts.vault, of: customer, after: place, signal: parts.work.written)
    }

    /// The transactions and renewal infos that are learned, from a place on; see ``StoreUpdates``.
    ///
    /// - Parameter place: After which to begin: that of the last update dealt with; ``FeedPlace/start`` for the first.
    public nonisolated func updates(after place: FeedPlace = .start) -> StoreUpdates {
        StoreUpdates(parts.vault, of: customer, after: place, signal: parts.work.written)
    }

    // MARK: By what was known at an instant

    /// All that was known at an instant: the second axis of time.
    ///
    /// `at` says about when a question is, `asKnownAt` by what knowledge it is answered.
    ///
    /// Whether the evidence was complete then the vault can tell only from the last whole reading of the history on;
    /// before it, `never` becomes `unknown`. How the backend fared is not kept. Of pending purchases only those that
    /// wait still are known.
    ///
    /// - Parameter instant: In UTC; what was learned at it is included.
    /// - Throws: ``VaultError`` where the vault cannot be read.
    public func state(asKnownAt instant: Instant) async throws(VaultError) -> PastState {
        let vault = parts.vault
        let past = try await (vault.facts(of: customer, learnedThrough: instant), vault.account(of: customer))
        return try PastState(
            past.0, account: past.1, at: instant, since: try await settledState(), of: customer)
    }
}
