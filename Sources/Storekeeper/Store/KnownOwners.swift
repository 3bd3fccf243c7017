import Synchronization

/// To whom chains belonged when something of them was written last.
///
/// It spares the vault the question when more comes of a chain: a renewal after a purchase, the same thing told twice. It
/// decides nothing: whose a piece is, the vault looks up when it writes it, and what is another's by then goes to them.
/// Of very many chains those that came last are remembered.
final class KnownOwners: Sendable {
    private struct State {
        var recent: [ChainID: CustomerID] = [:]
        var earlier: [ChainID: CustomerID] = [:]
    }

    private let capacity: Int
    private let state = Mutex(State())

    /// - Parameter capacity: How many chains are remembered at least; at most twice as many are.
    init(capacity: Int = 16_384) { self.capacity = capacity }

    /// The customer to whom all of some facts belonged; `nil` where that is not remembered of each.
    ///
    /// A renewal info is whose the transaction beside it is.
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

    /// Remembers, or forgets, whose the chains of some facts are.
    ///
    /// - Parameter owner: Whose they are all; `nil`: that is not certain.
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
