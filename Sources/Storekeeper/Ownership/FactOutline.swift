import FoundationEssentials

/// The chains, tokens and transactions that some facts name, computed without reading a vault.
struct FactOutline: Sendable {
    /// A chain, with its newest token among the facts.
    struct Claim: Sendable {
        let chain: ChainID
        /// The newest token of the chain among the facts, with the signed date of its transaction.
        var token: (token: UUID, signedAt: Instant)?
        /// The chain that this chain replaces, according to the facts.
        var predecessor: ChainID?
        /// The original transaction of the bundle to which the chain belongs, as a chain of the same app.
        var bundle: ChainID?
    }

    /// A transaction; the facts may include several copies of it.
    struct Subject: Sendable {
        let key: TransactionKey
        /// The index of the transaction's chain in ``FactOutline/claims``.
        let claim: Int
    }

    /// The chains of the transactions and app transactions, in the order of the facts.
    private(set) var claims: [Claim] = []
    /// The transactions, in the order of the facts.
    private(set) var subjects: [Subject] = []
    /// The index of each fact's transaction in ``subjects``; `nil` for other evidence.
    private(set) var places: [Int?] = []
    /// Whether the facts include evidence other than transactions.
    private(set) var hasOtherEvidence = false
    /// Whether the facts include several copies of a transaction.
    private(set) var hasCopies = false

    init(_ facts: [VerifiedFact]) {
        var chains = Places<ChainID>()
        var transactions = Places<TransactionKey>()
        places.reserveCapacity(facts.count)
        for fact in facts {
            guard let transaction = fact.transaction else {
                hasOtherEvidence = true
                places.append(nil)
                // An app transaction names a chain, which contains no transactions.
                guard let chain = fact.chain, chains.place(of: chain) == claims.count else { continue }
                claims.append(Claim(chain: chain))
                continue
            }
            let chain = ChainID(transaction)
            let position = chains.place(of: chain)
            if position == claims.count { claims.append(Claim(chain: chain)) }
            if let token = transaction.appAccountToken {
                recordToken(token, signedAt: transaction.signedAt, at: position)
            }
            // A chain replaces one chain and belongs to one bundle. If copies disagree all the same, the least id
            // counts, so that the order of the facts has no effect.
            claims[position].predecessor = least(claims[position].predecessor, transaction.predecessor)
            claims[position].bundle = least(claims[position].bundle, transaction.bundleChain)
            let key = TransactionKey(transaction)
            let place = transactions.place(of: key)
            if place == subjects.count {
                subjects.append(Subject(key: key, claim: position))
            } else {
                hasCopies = true
            }
            places.append(place)
        }
    }

    /// Returns the index in ``claims`` of the chain of a fact's transaction; `nil` for other evidence.
    func claim(at position: Int) -> Int? { places[position].map { subjects[$0].claim } }

    private func least(_ known: ChainID?, _ next: ChainID?) -> ChainID? {
        guard let known, let next else { return known ?? next }
        return next.originalID < known.originalID ? next : known
    }

    private mutating func recordToken(_ token: UUID, signedAt: Instant, at position: Int) {
        let next = (token, signedAt)
        if let known = claims[position].token, !CopyOrder.supersedes(next, known) { return }
        claims[position].token = next
    }
}

extension Transaction {
    /// The chain that this transaction's chain replaces, in the same app; `nil` if it replaces none.
    package var predecessor: ChainID? {
        previousOriginalTransactionID.flatMap { $0 == originalID ? nil : chain(of: $0) }
    }

    /// The chain of the original transaction of the bundle, in the same app; `nil` outside of a bundle.
    package var bundleChain: ChainID? {
        // Only subscriptions are sold in bundles, and to read the members of a bundle decodes the payload again.
        guard productType == .autoRenewable else { return nil }
        return bundle?.originalTransactionID.flatMap { $0 == originalID ? nil : chain(of: $0) }
    }

    private func chain(of originalID: Transaction.ID) -> ChainID {
        ChainID(bundleID: appBundleID, environment: environment, originalID: originalID)
    }
}

/// Numbers the distinct keys in order of first use, from 0.
private struct Places<Key: Hashable> {
    /// The first key; it is usually the only key, and comparing another key with it avoids hashing.
    private var first: Key?
    private var others: [Key: Int] = [:]

    /// Returns the number of a key; assigns the next number to a new key.
    mutating func place(of key: Key) -> Int {
        guard let first else {
            first = key
            return 0
        }
        if first == key { return 0 }
        if let known = others[key] { return known }
        others[key] = others.count + 1
        return others.count
    }
}
