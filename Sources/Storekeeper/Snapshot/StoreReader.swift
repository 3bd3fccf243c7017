/// Asks one customer's store the same few questions again and again, as a game does at every tick.
///
/// A handle for one task: it keeps the newest snapshot, and what it has found out from it, and looks only at a number
/// until something is published. A question then takes no lock and no memory, and shares nothing with readers on other
/// threads. It is not `Sendable`: every task takes one of its own.
///
/// ```swift
/// let reader = store.reader()
/// while isRunning {
///     let now = reader.now(byClock: clock.now)
///     if reader.hasFeature("ad-free", at: now) { … }
/// }
/// ```
public final class StoreReader {
    private let publication: Publication
    private let latest: Publication.Version
    // One task asks, and no question asks another: watching for two changes at once would cost more than the answer.
    @exclusivity(unchecked) private var known: StoreSnapshot
    /// The version of ``known``.
    @exclusivity(unchecked) private var version: Int64
    @exclusivity(unchecked) private var products = AccessCache()
    @exclusivity(unchecked) private var features = AccessCache()
    @exclusivity(unchecked) private var balanceNames = NameTable()
    /// What is left of each of the balances, and the version for which that holds.
    @exclusivity(unchecked) private var balances: [(version: Int64, amount: Int64)] = []

    /// How many balances are kept.
    private static let maximumBalances = 4096

    init(_ publication: Publication) {
        self.publication = publication
        latest = publication.latestVersion
        known = publication.snapshot
        version = known.version
    }

    /// The newest snapshot, for all other questions.
    public var snapshot: StoreSnapshot {
        refresh()
        return known
    }

    /// The instant that counts as now; see ``StoreSnapshot/now(byClock:)``.
    public func now(byClock clock: Instant) -> Instant {
        refresh()
        return known.now(byClock: clock)
    }

    /// Whether the customer has access to a product at an instant; see ``StoreSnapshot/isEntitled(_:at:)``.
    public func isEntitled(_ id: Product.ID, at instant: Instant) -> Bool {
        refresh()
        if let answer = products.answer(of: id.rawValue, at: instant.millisecondsSince1970) { return answer }
        return findProduct(id, at: instant)
    }

    /// Whether the customer has a feature at an instant; see ``StoreSnapshot/hasFeature(_:at:)``.
    public func hasFeature(_ id: Feature.ID, at instant: Instant) -> Bool {
        refresh()
        if let answer = features.answer(of: id.rawValue, at: instant.millisecondsSince1970) { return answer }
        return findFeature(id, at: instant)
    }

    /// What is left of something that is counted; below zero only through refunds.
    ///
    /// - Parameter id: The name of the balance; of one that nothing ever moved there is nothing.
    public func balance(of id: Balance.ID) -> Int64 {
        refresh()
        if let index = balanceNames.index(of: id.rawValue), balances[index].version == version {
            return balances[index].amount
        }
        return findBalance(id)
    }

    @inline(__always)
    private func refresh() {
        if latest.value != version { loadNewest() }
    }

    @inline(never)
    private func loadNewest() {
        known = publication.snapshot
        version = known.version
        products.forget()
        features.forget()
    }

    @inline(never)
    private func findProduct(_ id: Product.ID, at instant: Instant) -> Bool {
        products.find(
            id.rawValue, at: instant, in: known.resolution.product(id)?.timeline, until: known.freshness.trustEndsAt,
            gives: \.isEntitled)
    }

    @inline(never)
    private func findFeature(_ id: Feature.ID, at instant: Instant) -> Bool {
        features.find(
            id.rawValue, at: instant, in: known.resolution.feature(id)?.timeline, until: known.freshness.trustEndsAt,
            gives: \.answer.isEntitled)
    }

    @inline(never)
    private func findBalance(_ id: Balance.ID) -> Int64 {
        if balances.count >= Self.maximumBalances {
            balanceNames = NameTable()
            balances = []
        }
        let index: Int
        if let known = balanceNames.index(of: id.rawValue) {
            index = known
        } else {
            index = balanceNames.append(id.rawValue)
            balances.append((version, 0))
        }
        let amount = known.balance(of: id).amount
        balances[index] = (version, amount)
        return amount
    }
}

@available(*, unavailable)
extension StoreReader: Sendable {}
