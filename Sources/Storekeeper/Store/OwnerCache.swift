import Synchronization

/// A cache of the owners of recently written chains.
///
/// The cache makes a query to the vault unnecessary when more evidence of a chain arrives, such as a renewal after a
/// purchase or a repeated notification. A wrong entry has no effect on the result, because the vault determines the
/// owners in the step that writes. Facts of other customers are then passed on to their owners. If the cache is full,
/// it forgets the chains that were written longest ago.
final class OwnerCache: Sendable {
    private struct State {
        var recent: [ChainID: CustomerID] = [:]
        var earlier: [ChainID: CustomerID] = [:]

        func owner(of chain: ChainID) -> CustomerID? { recent[chain] ?? earlier[chain] }
    }

    private let capacity: Int
    private let state = Mutex(State())

    /// - Parameter capacity: The minimum number of cached chains; the maximum is twice this number.
    init(capacity: Int = 16_384) { self.capacity = capacity }

    /// Returns the customers to whom the vault would probably assign facts; `nil` if the cache lacks an owner that is
    /// needed.
    ///
    /// Evidence about a purchase goes to the owner of the purchase's chain among the facts.
    func owners(of facts: [VerifiedFact]) -> [CustomerID?]? {
        state.withLock { state in
            var purchases: [RenewalInfoKey: CustomerID] = [:]
            for chain in facts.lazy.compactMap(\.chain) {
                guard let owner = state.owner(of: chain) else { return nil }
                let key = RenewalInfoKey(chain)
                purchases[key] = purchases[key] ?? owner
            }
            let owners = facts.map { fact in
                if let chain = fact.chain { state.owner(of: chain) } else { fact.purchase.flatMap { purchases[$0] } }
            }
            return owners.contains(nil) ? nil : owners
        }
    }

    /// Stores or removes the owner of the chains to which some facts belong.
    ///
    /// - Parameter owner: The owner of all these chains; `nil` if the owner is uncertain, so that the chains are
    ///   removed from the cache.
    func set(_ owner: CustomerID?, of facts: [VerifiedFact]) {
        state.withLock { state in
            for chain in facts.lazy.compactMap(\.chain) {
                state.recent[chain] = owner
                if owner == nil { state.earlier[chain] = nil }
            }
            guard state.recent.count >= capacity else { return }
            (state.earlier, state.recent) = (state.recent, [:])
        }
    }
}
