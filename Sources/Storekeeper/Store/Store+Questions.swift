/// Questions about the customer, with the names that StoreKit 2 uses.
///
/// Questions about access are synchronous and never fail. For an id that neither the catalog nor the evidence contains,
/// the answer is `unknown` with the reason `notInCatalog`; ``StoreSnapshot/diagnostic(aboutUnknownProduct:)``
/// suggests another id. Questions about single transactions wait for pending work of the store.
extension Store {
    /// The current state as an immutable value.
    public nonisolated var snapshot: StoreSnapshot { publication.snapshot }

    // MARK: Answers

    /// Evaluates a question about the newest snapshot at an instant, or now; see ``StoreSnapshot/now(byClock:)``.
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

    /// Returns the statuses of a subscription group now, highest service level first.
    ///
    /// - Parameter group: The group, by its id or name.
    public nonisolated func subscriptionStatuses(group: String) -> [SubscriptionStatus] {
        evaluate { $0.subscriptionStatuses(group: group, at: $1) }
    }

    /// Returns the status with the highest service level in a subscription group now; `nil` before the first purchase.
    public nonisolated func highestStatus(group: String) -> SubscriptionStatus? {
        evaluate { $0.highestStatus(group: group, at: $1) }
    }

    /// Returns the customer's balance with the given id.
    public nonisolated func balance(of id: Balance.ID) -> Balance { snapshot.balance(of: id) }

    // MARK: StoreHelper

    /// Returns whether the customer has a product of any type now; see ``StoreSnapshot/isPurchased(_:at:)``.
    public nonisolated func isPurchased(_ id: Product.ID) -> Bool { evaluate { $0.isPurchased(id, at: $1) } }

    /// Returns the purchase information to show the customer about a product now; see
    /// ``StoreSnapshot/purchaseInfo(for:at:)``.
    public nonisolated func purchaseInfo(for id: Product.ID) -> PurchaseInfo {
        evaluate { $0.purchaseInfo(for: id, at: $1) }
    }

    /// Returns the information to show the customer about their highest subscription in a group now; see
    /// ``StoreSnapshot/subscriptionInfo(for:at:)``.
    public nonisolated func subscriptionInfo(for group: String) -> SubscriptionInfo? {
        evaluate { $0.subscriptionInfo(for: group, at: $1) }
    }

    /// Returns whether the customer could upgrade to a product now; see
    /// ``StoreSnapshot/hasLowerValueCurrentSubscription(than:at:)``.
    public nonisolated func hasLowerValueCurrentSubscription(than id: Product.ID) -> Bool {
        evaluate { $0.hasLowerValueCurrentSubscription(than: id, at: $1) }
    }

    /// The requested products that the catalog does not contain, for example because an id is misspelled, or a product is
    /// not approved yet or was withdrawn.
    public nonisolated var invalidProductIDs: Set<Product.ID> {
        let catalog = snapshot.resolution.catalog
        return parts.configuration.requestedProductIDs.filter { catalog.product($0) == nil }
    }

    // MARK: Transactions

    /// The newest copies of all transactions, newest purchase first.
    ///
    /// - Throws: ``VaultError`` if the vault must be read again and cannot be read.
    public var allTransactions: [Transaction] {
        get async throws(VaultError) {
            try await stateAfterPendingWork().live.history.newestFirst
        }
    }

    /// Returns the latest transaction of a product, even if it is revoked; `nil` if the product has no transaction.
    ///
    /// - Throws: ``VaultError`` if the vault must be read again and cannot be read.
    public func latestTransaction(for id: Product.ID) async throws(VaultError) -> Transaction? {
        try await stateAfterPendingWork().live.history.latestTransaction(for: id)
    }

    /// Explains why the customer has or does not have access to a product, at an instant in UTC, or now.
    ///
    /// The explanation considers whether the evidence is complete. ``entitlement(for:at:)`` considers in addition
    /// whether the evidence can still be trusted while the backend fails.
    ///
    /// - Throws: ``VaultError`` if the vault must be read again and cannot be read.
    public func explain(_ id: Product.ID, at instant: Instant? = nil) async throws(VaultError) -> Explanation {
        let state = try await stateAfterPendingWork()
        let at = instant ?? state.live.resolution.now(byClock: parts.clock.now)
        return state.live.resolver.explain(
            id, in: state.doubted.history, at: at, pending: state.pending, grants: state.grants,
            doubt: snapshot.isUnknown(id) ? .notInCatalog : snapshot.freshness.doubt(at: at))
    }

    /// Returns the offers of the catalog.
    ///
    /// For each offer, the result contains whether the customer is eligible, why, and until when.
    ///
    /// If the evidence is incomplete, an answer that a missing purchase could change is unknown.
    ///
    /// - Parameter instant: The instant in UTC, or `nil` for now.
    /// - Throws: ``VaultError`` if the vault must be read again and cannot be read.
    public func offers(at instant: Instant? = nil) async throws(VaultError) -> CustomerOffers {
        let state = try await stateAfterPendingWork()
        let at = instant ?? state.live.resolution.now(byClock: parts.clock.now)
        return state.doubted.offers(at: at, doubt: snapshot.freshness.doubt(at: at))
    }

    /// Returns whether the customer is eligible for introductory offers of a subscription group now; `false` if this
    /// cannot be determined.
    ///
    /// The group need not have an introductory offer.
    ///
    /// - Parameter group: The group's id.
    /// - Throws: ``VaultError`` if the vault must be read again and cannot be read.
    /// - SeeAlso: Apple, "StoreKit: isEligibleForIntroOffer(for:)".
    public func isEligibleForIntroOffer(for group: SubscriptionGroup.ID) async throws(VaultError) -> Bool {
        try await offers().isEligibleForIntroOffer(for: group)
    }

    /// Returns how many units of a purchased consumable were used, for Apple's consumption requests.
    ///
    /// - Parameter key: The transaction.
    /// - Returns: One element for each balance to which the purchase has added units; empty if the purchase has added
    ///   no units.
    /// - Throws: ``VaultError`` if the vault cannot be read.
    public func consumption(of key: TransactionKey) async throws(VaultError) -> [Consumption] {
        Consumption.of(key, in: try await parts.vault.account(of: customer))
    }

    // MARK: Subscribing

    /// Returns the events of changed answers that follow a place in the vault's feed; see ``StoreEvents``.
    ///
    /// - Parameter place: The place of the last processed event; ``FeedPlace/start`` begins with the first event.
    public nonisolated func events(after place: FeedPlace = .start) -> StoreEvents {
        StoreEvents(parts.vault, of: customer, after: place, signal: parts.work.written)
    }

    /// Returns the evidence that follows a place in the vault's feed; see ``StoreUpdates``.
    ///
    /// - Parameter place: The place of the last processed update; ``FeedPlace/start`` begins with the first update.
    public nonisolated func updates(after place: FeedPlace = .start) -> StoreUpdates {
        StoreUpdates(parts.vault, of: customer, after: place, signal: parts.work.written)
    }

    // MARK: The past

    /// Returns the state that was known at an instant in the past.
    ///
    /// An answer of the result depends on two instants. `at` is the instant about which the question is asked. Facts
    /// learned after the instant `asKnownAt` are ignored.
    ///
    /// The vault stores only the last instant at which the whole history was read. The evidence of a state before that
    /// instant does not count as complete, so that the answer `never` becomes `unknown`. Failures of the backend are
    /// not recorded. Only pending purchases that still wait for approval now are known.
    ///
    /// - Parameter instant: The instant in UTC; facts learned at this instant are included.
    /// - Throws: ``VaultError`` if the vault cannot be read.
    public func state(asKnownAt instant: Instant) async throws(VaultError) -> PastState {
        let vault = parts.vault
        let past = try await (vault.facts(of: customer, learnedThrough: instant), vault.account(of: customer))
        return try PastState(
            past.0, account: past.1, at: instant, since: try await stateAfterPendingWork(), of: customer)
    }
}
