/// The chains that other chains name as their predecessors, because the customer moved to a bundle, left a bundle, or
/// because the app migrated to the Advanced Commerce API.
///
/// - SeeAlso: Apple, "App Store Server API: previousOriginalTransactionId".
struct ReplacedChains: Equatable, Sendable {
    /// The named ids, each with the app and environment of the chain that names it.
    private var named: Set<ChainID> = []

    /// Finds the chains that a history's transactions name.
    init(_ history: PurchaseHistory) {
        for (id, chain) in history.chains {
            for previous in chain.predecessors where previous != id.originalID {
                named.insert(ChainID(bundleID: id.bundleID, environment: id.environment, originalID: previous))
            }
        }
    }

    /// Returns whether an original transaction id is known to be the predecessor of a chain.
    func names(_ previous: Transaction.ID, by id: ChainID) -> Bool {
        previous == id.originalID
            || named.contains(ChainID(bundleID: id.bundleID, environment: id.environment, originalID: previous))
    }

    /// Returns whether another chain names a chain by its original transaction id, or by that of its bundle.
    func contains(_ chain: PurchaseChain, _ id: ChainID) -> Bool {
        guard !named.isEmpty else { return false }
        return named.contains(id)
            || chain.facts.contains { fact in
                fact.transaction.bundle?.originalTransactionID.map { bundle in
                    named.contains(
                        ChainID(bundleID: id.bundleID, environment: id.environment, originalID: bundle))
                } ?? false
            }
    }
}
