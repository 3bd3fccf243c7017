import Synchronization

/// A cache of the owners of recently written chains.
///
/// It saves a query when more evidence of a chain arrives: a renewal after a purchase, or a repeated notification. A
/// wrong entry has no effect on the result: the vault determines the owners in the step that writes, and other
/// customers' facts are then passed on to them. Of very many chains the most recent ones are cached.
final class OwnerCache: Sendable {
    private struct State {
        var recent: [ChainID: CustomerID] = [:]
        var earlier: [ChainID: CustomerID] = [:]
    }

    private let capacity: Int
    private let state = Mutex(State())

    /// - Parameter capacity: The minimum number of cached chains; at most twice as many are.
    init(capacity: Int = 16_384) { self.capacity = capacity }

    /// Returns the customer who owned all of some facts; `nil` if an owner is not cached.
    ///
    /// A renewal info belongs to the owner of the transaction next to it.
    func owner(of facts: [VerifiedFact]) -> CustomerID? {
        let chains = facts.compactMap { $0.transaction.map { ChainID($0) } }
        guard !chains.isEmpty else { return nil }
        let keys = Set(chains.map { RenewalInfoKey($0) })
        guard facts.allSatisfy({ $0.renewalInfo.map { keys.contains(RenewalInfoKey($0)) } ?? true }) else { return nil }
        return state.withLock { state in
            var owner: CustomerID?
            for chain in chains {
                guard let holder = state.recent[chain] ?? state.earlier[chain], owner == nil || owner == holder else {
                    return nil
                }
                owner = holder
            }
            return owner
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
