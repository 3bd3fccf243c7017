import Synchronization

/// A cache of the owners of recently written chains.
///
/// It saves a query when more evidence of a chain arrives: a renewal after a purchase, or a repeated notification. It
/// caches only what ``Ownership`` looks up. A wrong entry has no effect on the result: the vault determines the owners
/// in the step that writes, and other customers' facts are then passed on to them. If there are very many chains, only
/// the most recently used ones are cached.
final class OwnerCache: Sendable {
    private struct State {
        var recent: [ChainID: CustomerID] = [:]
        var earlier: [ChainID: CustomerID] = [:]
    }

    private let capacity: Int
    private let state = Mutex(State())

    /// - Parameter capacity: The minimum number of cached chains; at most twice as many are.
    init(capacity: Int = 16_384) { self.capacity = capacity }

    /// Returns the owners of some facts, as the vault does; `nil` if the cache does not contain all that they depend
    /// on.
    func owners(of facts: [VerifiedFact]) -> [CustomerID?]? {
        let outline = FactOutline(facts)
        return state.withLock { state in
            try? Ownership.owners(
                of: facts, outline, in: CachedOwners(recent: state.recent, earlier: state.earlier))
        }
    }

    /// Caches, or forgets, the owner of the chains of some facts.
    ///
    /// - Parameter owner: The owner of all of them; `nil` if it is uncertain.
    func set(_ owner: CustomerID?, of facts: [VerifiedFact]) {
        state.withLock { state in
            for chain in facts.lazy.compactMap({ $0.transaction.map { ChainID($0) } }) {
                state.recent[chain] = owner
                if owner == nil { state.earlier[chain] = nil }
            }
            guard state.recent.count >= capacity else { return }
            (state.earlier, state.recent) = (state.recent, [:])
        }
    }
}
