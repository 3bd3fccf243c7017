/// What a store knew at some instant in the past.
///
/// Made of the facts that had been learned and the entries that had been made by then, so that "why was this player
/// refused on Tuesday?" has the answer of Tuesday, whatever was learned since.
public struct PastState: Sendable {
    /// The instant, in UTC; what was learned at it is included.
    public let knownAt: Instant
    /// All that was known.
    public let snapshot: StoreSnapshot
    let history: PurchaseHistory
    let resolver: EntitlementResolver

    /// The newest copies of all transactions as known then, newest purchase first.
    public var all: [Transaction] { history.newestFirst }

    /// The latest transaction of a product as known then; `nil` before the first.
    public func latest(for id: Product.ID) -> Transaction? { history.latest(for: id) }

    /// Explains an answer by what was known then.
    public func explain(_ id: Product.ID, at instant: Instant) -> Explanation {
        resolver.explain(id, in: history, at: instant)
    }
}
