import FoundationEssentials

/// What facts say by themselves of chains and transactions, found without any table.
struct FactOutline: Sendable {
    /// What the facts say of one chain.
    struct Claim: Sendable {
        let chain: ChainID
        /// The newest token that the facts carry.
        var token: (token: UUID, signedAt: Instant)?
    }

    /// A transaction, of which there may be several copies among the facts.
    struct Subject: Sendable {
        let key: TransactionKey
        /// The place of its chain in ``FactOutline/claims``.
        let claim: Int
    }

    /// The chains of the transactions, in the order of the facts.
    private(set) var claims: [Claim] = []
    /// The transactions, in the order of the facts.
    private(set) var subjects: [Subject] = []
    /// The place of each fact's transaction in ``subjects``; `nil` for a renewal info.
    private(set) var places: [Int?] = []
    private(set) var hasRenewalInfos = false

    init(_ facts: [VerifiedFact]) {
        var positions: [ChainID: Int] = [:]
        var known: [TransactionKey: Int] = [:]
        places.reserveCapacity(facts.count)
        for fact in facts {
            guard let transaction = fact.transaction else {
                hasRenewalInfos = true
                places.append(nil)
                continue
            }
            let chain = ChainID(transaction)
            let position = positions[chain] ?? claims.count
            if position == claims.count {
                positions[chain] = position
                claims.append(Claim(chain: chain))
            }
            if let token = transaction.appAccountToken { note(token, signedAt: transaction.signedAt, at: position) }
            let key = TransactionKey(transaction)
            let place = known[key] ?? subjects.count
            if place == subjects.count {
                known[key] = place
                subjects.append(Subject(key: key, claim: position))
            }
            places.append(place)
        }
    }

    private mutating func note(_ token: UUID, signedAt: Instant, at position: Int) {
        let next = (token, signedAt)
        if let known = claims[position].token, !CopyOrder.supersedes(next, known) { return }
        claims[position].token = next
    }
}

/// A batch with what can be said of it before its step has its turn.
///
/// Steps run one after another, their callers do not.
public struct PreparedBatch: Sendable {
    /// What is to be written.
    public let batch: CommitBatch
    let outline: FactOutline

    /// Prepares a batch.
    public init(_ batch: CommitBatch) {
        self.batch = batch
        outline = FactOutline(batch.facts)
    }
}
