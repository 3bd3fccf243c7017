/// The state of a store at an instant in the past.
///
/// The state consists of the facts that were learned, and the entries that were made, up to that instant. The question
/// "why was this player refused on Tuesday?" is therefore answered from the facts known on Tuesday, without the facts
/// learned since.
public struct PastState: Sendable {
    /// The snapshot at the past instant.
    public let snapshot: StoreSnapshot
    let history: PurchaseHistory
    let resolver: EntitlementResolver

    /// Reconstructs a past state.
    ///
    /// - Parameters:
    ///   - facts: The facts learned up to the instant, inclusive.
    ///   - account: The entries of the customer's account; entries after the instant are ignored.
    ///   - state: The current state.
    /// - Throws: ``VaultError`` with `overflow` if a sum overflows.
    init(
        _ facts: [VerifiedFact], account: [LedgerEntry], at instant: Instant, since state: CustomerState,
        of customer: CustomerID
    ) throws(VaultError) {
        var balances: [Balance.ID: Balance] = [:]
        for entry in account where entry.at <= instant && entry.kind.movesBalance {
            let name = entry.balance
            let balance = balances[name] ?? Balance(id: entry.balance)
            balances[name] = try balance.adding(entry.kind, entry.change)
        }
        let history = PurchaseHistory(verified: facts)
        let live = LiveResolution(
            history: history, resolver: state.live.resolver,
            pending: state.pending.filter { $0.startedAt <= instant },
            grants: [AccessGrant](recordedIn: account.lazy.filter { $0.at <= instant }))
        let syncedAt = [state.syncedAt, state.readAt].compactMap { $0 }.max()
        snapshot = StoreSnapshot(
            customer: customer, resolution: live.resolution,
            balances: balances.sorted { $0.key < $1.key }.map(\.value),
            freshness: Freshness(syncedAt: syncedAt.flatMap { $0 <= instant ? $0 : nil }), takenAt: instant)
        self.history = history
        resolver = state.live.resolver
    }

    /// The newest copies of all transactions known at the past instant, newest purchase first.
    package var allTransactions: [Transaction] { history.newestFirst }

    /// Returns the latest transaction of a product that was known at the past instant; `nil` if none was known.
    package func latestTransaction(for id: Product.ID) -> Transaction? { history.latestTransaction(for: id) }

    /// Explains an answer from the facts known at the past instant.
    public func explain(_ id: Product.ID, at instant: Instant) -> Explanation {
        resolver.explain(
            id, in: history, at: instant, grants: snapshot.resolution.grants,
            doubt: snapshot.freshness.doubt(at: instant))
    }
}

extension TransactionalVault {
    /// The maximum number of facts in one page.
    private static var pageSize: Int { 1_000 }

    /// Returns the facts about a customer that were learned up to an instant, inclusive, in the vault's order.
    func facts(of customer: CustomerID, learnedThrough instant: Instant) async throws(VaultError) -> [VerifiedFact] {
        var facts: [VerifiedFact] = []
        var place = FeedPlace.start
        while true {
            let page = try await self.facts(after: place, of: customer, limit: Self.pageSize)
            facts += page.filter { $0.learnedAt <= instant }.map(\.fact)
            guard page.count == Self.pageSize, let last = page.last else { return facts }
            place = last.place
        }
    }
}
