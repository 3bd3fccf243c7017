/// What a store knew at some instant in the past.
///
/// Made of the facts that had been learned and the entries that had been made by then, so that "why was this player
/// refused on Tuesday?" has the answer of Tuesday, whatever was learned since.
public struct PastState: Sendable {
    /// All that was known.
    public let snapshot: StoreSnapshot
    let history: PurchaseHistory
    let resolver: EntitlementResolver

    /// Goes back to what was known.
    ///
    /// - Parameters:
    ///   - facts: What had been learned by the instant.
    ///   - account: The entries of the customer; those made later count for nothing.
    ///   - state: What is known now.
    /// - Throws: ``VaultError`` with `overflow` for a sum that is greater than any number.
    init(
        _ facts: [VerifiedFact], account: [LedgerEntry], at instant: Instant, since state: CustomerState,
        of customer: CustomerID
    ) throws(VaultError) {
        var balances: [Balance.ID: Balance] = [:]
        for entry in account where entry.at <= instant {
            let name = entry.balance
            let balance = balances[name] ?? Balance(id: entry.balance)
            balances[name] = try balance.adding(entry.kind, entry.change)
        }
        var history = PurchaseHistory()
        _ = history.merge(facts.map(\.evidence))
        let live = LiveResolution(
            history: history, resolver: state.live.resolver,
            pending: state.pending.filter { $0.startedAt <= instant })
        let syncedAt = [state.syncedAt, state.readAt].compactMap { $0 }.max()
        snapshot = StoreSnapshot(
            customer: customer, resolution: live.resolution,
            balances: balances.sorted { $0.key < $1.key }.map(\.value),
            freshness: Freshness(syncedAt: syncedAt.flatMap { $0 <= instant ? $0 : nil }))
        self.history = history
        resolver = state.live.resolver
    }

    /// The newest copies of all transactions as known then, newest purchase first.
    package var allTransactions: [Transaction] { history.newestFirst }

    /// The latest transaction of a product as known then; `nil` before the first.
    package func latestTransaction(for id: Product.ID) -> Transaction? { history.latestTransaction(for: id) }

    /// Explains an answer by what was known then.
    public func explain(_ id: Product.ID, at instant: Instant) -> Explanation {
        resolver.explain(id, in: history, at: instant)
    }
}

extension Vault {
    /// How much is read at a time.
    private static var pageSize: Int { 1_000 }

    /// A customer's facts that had been learned by an instant, inclusive, in order.
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
