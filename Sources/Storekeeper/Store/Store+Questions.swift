/// Questions by the names of StoreKit 2.
///
/// Questions about answers are synchronous and never fail: for an unknown id the answer is `never`, or `unknown` if the
/// evidence is incomplete. Questions about single transactions read the store's state.
extension Store {
    /// The current state as an immutable value.
    public nonisolated var snapshot: StoreSnapshot { publication.snapshot }

    // MARK: Answers

    /// Evaluates the newest snapshot at an instant, or now; see ``StoreSnapshot/now(byClock:)``.
    private nonisolated func evaluate<Answer>(
        at instant: Instant? = nil, _ question: (StoreSnapshot, Instant) -> Answer
    ) -> Answer {
        let snapshot = snapshot
        return question(snapshot, instant ?? snapshot.now(byClock: parts.clock.now))
    }

    /// Returns the customer's entitlement to a product, with its reason, at an instant in UTC, or now.
    public nonisolated func entitlement(for id: Product.ID, at instant: Instant? = nil) -> EntitlementAnswer {
        evaluate(at: instant) { $0.entitlement(for: id, at: $1) }
    }

    /// Returns whether the customer has access to a product now.
    public nonisolated func isEntitled(_ id: Product.ID) -> Bool { evaluate { $0.isEntitled(id, at: $1) } }

    /// Returns the answer for a feature, with its reason, at an instant in UTC, or now.
    public nonisolated func feature(_ id: Feature.ID, at instant: Instant? = nil) -> EntitlementAnswer {
        evaluate(at: instant) { $0.feature(id, at: $1) }
    }

    /// Returns whether the customer has a feature now.
    public nonisolated func hasFeature(_ id: Feature.ID) -> Bool { evaluate { $0.hasFeature(id, at: $1) } }

    /// The transactions that entitle the customer now; see ``StoreSnapshot/currentEntitlements(at:)``.
    public nonisolated var currentEntitlements: [Transaction] { evaluate { $0.currentEntitlements(at: $1) } }

    /// Returns the statuses of a group now, the highest service level first.
    ///
    /// - Parameter group: The group, by its id or name.
    public nonisolated func subscriptionStatuses(group: String) -> [SubscriptionStatus] {
        evaluate { $0.subscriptionStatuses(group: group, at: $1) }
    }

    /// Returns the status with the highest service level of a group now; `nil` before the first purchase.
    public nonisolated func highestStatus(group: String) -> SubscriptionStatus? {
        evaluate { $0.highestStatus(group: group, at: $1) }
    }

    /// Returns a balance of the customer.
    public nonisolated func balance(of id: Balance.ID) -> Balance { snapshot.balance(of: id) }

    // MARK: StoreHelper

    /// Returns whether the customer has a product of any type now; see ``StoreSnapshot/isPurchased(_:at:)``.
    public nonisolated func isPurchased(_ id: Product.ID) -> Bool { evaluate { $0.isPurchased(id, at: $1) } }

    /// Returns what the customer can be told about a product now; see ``StoreSnapshot/purchaseInfo(for:at:)``.
    public nonisolated func purchaseInfo(for id: Product.ID) -> PurchaseInfo {
        evaluate { $0.purchaseInfo(for: id, at: $1) }
    }

    /// Returns what the customer can be told about the highest subscription of a group now; see
    /// ``StoreSnapshot/subscriptionInfo(for:at:)``.
    public nonisolated func subscriptionInfo(for group: String) -> SubscriptionInfo? {
        evaluate { $0.subscriptionInfo(for: group, at: $1) }
    }

    /// Returns whether the customer could upgrade to a product now; see
    /// ``StoreSnapshot/hasLowerValueCurrentSubscription(than:at:)``.
    public nonisolated func hasLowerValueCurrentSubscription(than id: Product.ID) -> Bool {
        evaluate { $0.hasLowerValueCurrentSubscription(than: id, at: $1) }
    }

    /// The requested products that no catalog knows: misspelt, not yet approved, withdrawn.
    public nonisolated var invalidProductIDs: Set<Product.ID> {
        let catalog = snapshot.resolution.catalog
        return parts.configuration.requestedProductIDs.filter { catalog.product($0) == nil }
    }

    // MARK: Transactions

    /// The newest copies of all transactions, newest purchase first.
    ///
    /// - Throws: ``VaultError`` if the vault must be read again and cannot be.
    public var allTransactions: [Transaction] {
        get async throws(VaultError) {
            try await stateAfterPendingWork().live.history.newestFirst
        }
    }

    /// The latest transaction of a product, revoked ones included; `nil` before the first.
    ///
    /// - Throws: ``VaultError`` if the vault must be read again and cannot be.
    public func latestTransaction(for id: Product.ID) async throws(VaultError) -> Transaction? {
        try await stateAfterPendingWork().live.history.latestTransaction(for: id)
    }

    /// Explains why the customer has access to a product, or not, at an instant in UTC, or now.
    ///
    /// It considers how complete the evidence is; ``entitlement(for:at:)`` also considers whether it can still be
    /// trusted while the backend fails.
    ///
    /// - Throws: ``VaultError`` if the vault must be read again and cannot be.
    public func explain(_ id: Product.ID, at instant: Instant? = nil) async throws(VaultError) -> Explanation {
        let state = try await stateAfterPendingWork()
        let at = instant ?? state.live.resolution.now(byClock: parts.clock.now)
        return state.live.resolver.explain(
            id, in: state.doubted.history, at: at, pending: state.pending, grants: state.grants,
            doubt: snapshot.freshness.doubt(at: at))
    }

    /// Returns the offers of the catalog, with whether the customer may have each, why, and until when.
    ///
    /// An answer that a missing purchase could change is unknown unless the evidence is complete.
    ///
    /// - Parameter instant: The instant in UTC, or `nil` for now.
    /// - Throws: ``VaultError`` if the vault must be read again and cannot be.
    public func offers(at instant: Instant? = nil) async throws(VaultError) -> CustomerOffers {
        let state = try await stateAfterPendingWork()
        let at = instant ?? state.live.resolution.now(byClock: parts.clock.now)
        return state.doubted.offers(at: at, doubt: snapshot.freshness.doubt(at: at))
    }

    /// Returns whether the customer may have introductory offers of a subscription group now, even if the group has
    /// none; `false` if this cannot be determined.
    ///
    /// - Parameter group: The group's id.
    /// - Throws: ``VaultError`` if the vault must be read again and cannot be.
    /// - SeeAlso: Apple, "StoreKit: isEligibleForIntroOffer(for:)".
    public func isEligibleForIntroOffer(for group: SubscriptionGroup.ID) async throws(VaultError) -> Bool {
        try await offers().isEligibleForIntroOffer(for: group)
    }

    /// Returns how much of a purchase of a consumable was used, for Apple's consumption requests.
    ///
    /// - Parameter key: The transaction.
    /// - Returns: One element for each balance that it has added to; empty if there is none.
    /// - Throws: ``VaultError`` if the vault cannot be read.
    public func consumption(of key: TransactionKey) async throws(VaultError) -> [Consumption] {
        Consumption.of(key, in: try await parts.vault.account(of: customer))
    }

    // MARK: Subscribing

    /// Returns the changes of answers, from a place on; see ``StoreEvents``.
    ///
    /// - Parameter place: The place of the last processed event; ``FeedPlace/start`` begins with the first one.
    public nonisolated func events(after place: FeedPlace = .start) -> StoreEvents {
        StoreEvents(parts.vault, of: customer, after: place, signal: parts.work.written)
    }

    /// Returns the learned transactions and renewal infos, from a place on; see ``StoreUpdates``.
    ///
    /// - Parameter place: The place of the last processed update; ``FeedPlace/start`` begins with the first one.
    public nonisolated func updates(after place: FeedPlace = .start) -> StoreUpdates {
        StoreUpdates(parts.vault, of: customer, after: place, signal: parts.work.written)
    }

    // MARK: The past

    /// Returns the state that was known at an instant: the second axis of time.
    ///
    /// `at` chooses the instant of an answer, `asKnownAt` the knowledge from which it is answered.
    ///
    /// The vault can tell that the evidence was complete only after the last complete read of the history; before it,
    /// `never` becomes `unknown`. Failures of the backend are not recorded. Pending purchases are known only if they
    /// still wait now.
    ///
    /// - Parameter instant: The instant in UTC; facts learned at it are included.
    /// - Throws: ``VaultError`` if the vault cannot be read.
    public func state(asKnownAt instant: Instant) async throws(VaultError) -> PastState {
        let vault = parts.vault
        let past = try await (vault.facts(of: customer, learnedThrough: instant), vault.account(of: customer))
        return try PastState(
            past.0, account: past.1, at: instant, since: try await stateAfterPendingWork(), of: customer)
    }
}
