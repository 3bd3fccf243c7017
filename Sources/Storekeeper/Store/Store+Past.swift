/// What was known at an instant: the second axis of time.
///
/// `at` says about when the question is, `asKnownAt` by what knowledge it is answered.
extension Store {
    /// How much is read from the vault at a time.
    private static let pageSize = 1_000

    /// All that was known at an instant.
    ///
    /// Whether the evidence was complete then the vault can tell only from the last whole reading of the history on;
    /// before it, `never` becomes `unknown`. How the backend fared is not kept. Of pending purchases only those that
    /// wait still are known.
    ///
    /// - Parameter instant: In UTC; what was learned at it is included.
    /// - Throws: ``VaultError`` where the vault cannot be read.
    public func state(asKnownAt instant: Instant) async throws(VaultError) -> PastState {
        var pieces: [VerifiedEvidence] = []
        var place: Int64 = 0
        while true {
            let page = try await vault.facts(after: place, of: customer, limit: Self.pageSize)
            pieces += page.filter { $0.learnedAt <= instant }.map(\.fact.evidence)
            guard page.count == Self.pageSize, let last = page.last else { break }
            place = last.sequence
        }
        var balances: [ByteText: Balance] = [:]
        for entry in try await entries(through: instant) {
            let name = ByteText(entry.balance)
            let balance = balances[name] ?? Balance(id: entry.balance)
            balances[name] = try balance.adding(entry.kind, entry.change)
        }
        let (resolver, pending, syncedAt) = try await serially { () async throws(VaultError) in
            try await restore()
            return (known.live.resolver, known.pending, known.syncedAt)
        }
        var history = PurchaseHistory()
        _ = history.merge(pieces)
        let live = LiveResolution(
            history: history, resolver: resolver, pending: pending.filter { $0.startedAt <= instant })
        return PastState(
            knownAt: instant,
            snapshot: StoreSnapshot(
                customer: customer, resolution: live.resolution,
                balances: balances.sorted { $0.key < $1.key }.map(\.value),
                knowledge: Knowledge(syncedAt: syncedAt.flatMap { $0 <= instant ? $0 : nil })),
            history: history, resolver: resolver)
    }

    /// The customer's entries up to an instant, inclusive.
    func entries(through instant: Instant) async throws(VaultError) -> [LedgerEntry] {
        var entries: [LedgerEntry] = []
        var place: Int64 = 0
        while true {
            let page = try await vault.entries(after: place, of: customer, limit: Self.pageSize)
            entries += page.filter { $0.at <= instant }
            guard page.count == Self.pageSize, let last = page.last else { return entries }
            place = last.sequence
        }
    }

    /// What the customer had of a product, and why, by what was known at an instant.
    ///
    /// Without an instant of its own the question is about the one of the knowledge.
    public func entitlement(
        for id: Product.ID, at instant: Instant? = nil, asKnownAt known: Instant
    ) async throws(VaultError) -> EntitlementAnswer {
        try await state(asKnownAt: known).snapshot.entitlement(for: id, at: instant ?? known)
    }

    /// Whether the customer had a feature, and why, by what was known at an instant.
    public func feature(
        _ id: Feature.ID, at instant: Instant? = nil, asKnownAt known: Instant
    ) async throws(VaultError) -> EntitlementAnswer {
        try await state(asKnownAt: known).snapshot.feature(id, at: instant ?? known)
    }

    /// The transactions that entitled the customer, by what was known at an instant.
    public func currentEntitlements(asKnownAt known: Instant) async throws(VaultError) -> [Transaction] {
        try await state(asKnownAt: known).snapshot.currentEntitlements(at: known)
    }

    /// The statuses of a group, by what was known at an instant.
    public func subscriptionStatuses(
        group: String, asKnownAt known: Instant
    ) async throws(VaultError) -> [SubscriptionStatus] {
        try await state(asKnownAt: known).snapshot.subscriptionStatuses(group: group, at: known)
    }

    /// The status that gave the highest service of a group, by what was known at an instant.
    public func highestStatus(
        group: String, asKnownAt known: Instant
    ) async throws(VaultError) -> SubscriptionStatus? {
        try await state(asKnownAt: known).snapshot.highestStatus(group: group, at: known)
    }

    /// What the customer had of something that is counted, by the entries made until an instant.
    public func balance(of id: String, asKnownAt known: Instant) async throws(VaultError) -> Balance {
        try await state(asKnownAt: known).snapshot.balance(of: id)
    }

    /// All transactions known at an instant, newest purchase first.
    public func all(asKnownAt known: Instant) async throws(VaultError) -> [Transaction] {
        try await state(asKnownAt: known).all
    }

    /// The latest transaction of a product known at an instant.
    public func latest(for id: Product.ID, asKnownAt known: Instant) async throws(VaultError) -> Transaction? {
        try await state(asKnownAt: known).latest(for: id)
    }

    /// Why the customer had, or had not, access to a product, by what was known at an instant.
    public func explain(
        _ id: Product.ID, at instant: Instant? = nil, asKnownAt known: Instant
    ) async throws(VaultError) -> Explanation {
        try await state(asKnownAt: known).explain(id, at: instant ?? known)
    }
}
