import FoundationEssentials

/// The tokens in the stored transactions of one chain, from which the owner of the chain can be checked later.
///
/// A transaction is stored only if the newest token of its chain belongs to the chain's owner. A further copy of a
/// stored transaction, such as its refund, is stored whatever token it contains. Therefore only the first copies of
/// transactions show that the owner had a right to the chain.
struct ChainTokens {
    /// The newest token among the first copies of the transactions.
    private(set) var decisive: (token: UUID, signedAt: Instant)?
    /// The newest token among all copies.
    private(set) var newest: (token: UUID, signedAt: Instant)?
    /// All tokens.
    private(set) var all: Set<UUID> = []

    /// Adds a stored transaction.
    ///
    /// - Parameter isFirst: Whether no other copy of the transaction was stored before.
    mutating func add(_ transaction: Transaction, isFirst: Bool) {
        guard let token = transaction.appAccountToken else { return }
        let next = (token: token, signedAt: transaction.signedAt)
        all.insert(token)
        if newest.map({ CopyOrder.supersedes(next, $0) }) ?? true { newest = next }
        if isFirst, decisive.map({ CopyOrder.supersedes(next, $0) }) ?? true { decisive = next }
    }

    /// Whether a copy of a stored transaction has brought the newest token, which then says nothing about the owner.
    var isNewestFromLaterCopy: Bool { newest?.token != decisive?.token }

    /// Returns the tokens of chains, from facts in the order in which they were stored.
    static func byChain(_ facts: some Sequence<VerifiedFact>) -> [ChainID: ChainTokens] {
        var chains: [ChainID: ChainTokens] = [:]
        var known: Set<TransactionKey> = []
        for transaction in facts.lazy.compactMap(\.transaction) {
            let isFirst = known.insert(TransactionKey(transaction)).inserted
            chains[ChainID(transaction), default: ChainTokens()].add(transaction, isFirst: isFirst)
        }
        return chains
    }
}
