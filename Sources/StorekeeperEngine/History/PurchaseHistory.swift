import FoundationEssentials

/// All that is known of one customer's purchases.
///
/// Taking in evidence is a join: in any order, and however often the same piece arrives, the history
/// becomes the same. Of each transaction the newest copy stays, of renewal infos every version: an older one may be
/// the one that speaks of an earlier period. Only what a verifier has believed is taken in; what it has not only makes its product doubtful.
public struct PurchaseHistory: Sendable, Equatable {
    private(set) var chains = LayeredMap<PurchaseChain.ID, PurchaseChain>()
    /// All versions, by what they speak of.
    private(set) var renewalInfos = LayeredMap<RenewalInfoKey, RenewalInfoSeries>()
    /// Whether every fact was verified.
    ///
    /// Once a decoded payload has been taken in, never again.
    package private(set) var isVerified = true
    /// Products that evidence names which failed verification.
    package private(set) var doubtfulProductIDs: Set<Product.ID> = []
    /// Products that evidence names which comes from an environment that is not accepted.
    package private(set) var refusedProductIDs: Set<Product.ID> = []

    private var factsByKey = LayeredMap<FactKey, TransactionFact>()
    private var accountTokens = LayeredMap<PurchaseChain.ID, AccountToken>()
    /// What older copies said otherwise than the newest.
    private(set) var supersededCopies = SupersededCopies()
    /// When the newest verified copy of each environment was signed, which says how late it is at least.
    private(set) var newestSignatures = NewestSignatures()

    /// Makes a history of a customer of whom nothing is known.
    public init() {}

    /// How many transactions are known.
    package var count: Int { factsByKey.count }

    /// The newest copy of each transaction, in no order.
    package var transactions: [Transaction] { factsByKey.values.map(\.transaction) }

    /// The newest copy of each transaction and what identifies it.
    var facts: some Sequence<TransactionFact> { factsByKey.values }

    // MARK: Taking in

    /// Takes in transactions; of those that were not believed only the products are noted.
    ///
    /// Unsigned ones count, and mark every answer as unverified.
    ///
    /// - Returns: Whether a fact changed.
    @discardableResult
    public mutating func merge(_ results: some Sequence<VerificationResult<Transaction>>) -> Bool {
        // An array stays the one it is; all else is gone through in one way, which costs less than in its own.
        let results = Array(results)
        var verified: [TransactionFact] = []
        verified.reserveCapacity(results.count)
        for result in results {
            switch result {
            case .verified(let transaction), .unsigned(let transaction):
                recordProof(of: result)
                verified.append(TransactionFact(transaction))
            case .unverified(let transaction, let error) where error.code == .environmentRefused:
                markRefused(transaction.productID)
            case .unverified(let transaction, _): markDoubtful(transaction.productID)
            }
        }
        return insert(verified)
    }

    /// Takes in a transaction; of one that was not believed only the product is noted.
    ///
    /// An unsigned one counts, and marks every answer as unverified.
    ///
    /// - Returns: Whether a fact changed.
    @discardableResult
    public mutating func merge(_ result: VerificationResult<Transaction>) -> Bool {
        merge(CollectionOfOne(result))
    }

    /// Takes in whatever a verifier has found, as far as it is a fact about purchases.
    ///
    /// App transactions change nothing, and a notification changes nothing by itself: what counts is the signed
    /// transaction and renewal info inside it, each verified alone.
    ///
    /// - Returns: Whether a fact changed.
    @discardableResult
    public mutating func merge(_ evidence: CheckedEvidence) -> Bool {
        switch evidence {
        case .transaction(let result): merge(result)
        case .renewalInfo(let result): merge(result)
        case .appTransaction, .notification, .unreadable: false
        }
    }

    /// Takes in a renewal info, unless it was not believed.
    ///
    /// An unsigned one counts, and marks every answer as unverified.
    ///
    /// - Returns: Whether anything changed.
    @discardableResult
    public mutating func merge(_ result: VerificationResult<RenewalInfo>) -> Bool {
        switch result {
        case .verified(let info), .unsigned(let info):
            recordProof(of: result)
            var disorder = Disorder()
            defer { sort(disorder) }
            return insert(RenewalInfoFact(info), &disorder)
        case .unverified: return false
        }
    }

    /// Notes when a verified fact was signed; one that nobody signed marks every answer as unverified.
    private mutating func recordProof<Payload: DecodedFact>(of result: VerificationResult<Payload>) {
        guard result.isProven else {
            isVerified = false
            return
        }
        let payload = result.unsafePayloadValue
        newestSignatures.record(payload.signedAt, in: payload.environment)
    }

    /// Notes the product of evidence that could not be believed.
    package mutating func markDoubtful(_ productID: Product.ID) { doubtfulProductIDs.insert(productID) }

    /// Notes the product of evidence whose environment is not accepted.
    package mutating func markRefused(_ productID: Product.ID) { refusedProductIDs.insert(productID) }

    /// Takes in another history of the same customer.
    package mutating func merge(_ other: PurchaseHistory) {
        insert(Array(other.factsByKey.values))
        var disorder = Disorder()
        for fact in other.allRenewalInfos { _ = insert(fact, &disorder) }
        sort(disorder)
        for (id, token) in other.accountTokens { recordToken(token, of: id) }
        supersededCopies.merge(other.supersededCopies) { factsByKey[FactKey($0)]?.transaction }
        doubtfulProductIDs.formUnion(other.doubtfulProductIDs)
        refusedProductIDs.formUnion(other.refusedProductIDs)
        isVerified = isVerified && other.isVerified
        newestSignatures.merge(other.newestSignatures)
    }

    @discardableResult
    private mutating func insert(_ facts: [TransactionFact]) -> Bool {
        var isChanged = false
        var disorder = Disorder()
        if facts.count > 1 { factsByKey.reserveCapacity(factsByKey.count + facts.count) }
        for fact in facts where insert(fact, &disorder) != nil { isChanged = true }
        sort(disorder)
        return isChanged
    }

    /// Chains and series of renewal infos that are to be put in order once all of a batch is in.
    ///
    /// In order, as evidence mostly comes, none is.
    private struct Disorder {
        var unsorted: Set<PurchaseChain.ID> = []
        var outdated: Set<PurchaseChain.ID> = []
        var unsortedInfos: Set<RenewalInfoKey> = []
    }

    /// Takes in a transaction.
    ///
    /// - Returns: What changed; `nil` where a copy as new was known.
    private mutating func insert(_ fact: TransactionFact, _ disorder: inout Disorder) -> HistoryChanges.Fact? {
        let chainID = PurchaseChain.ID(fact.transaction)
        if let token = fact.transaction.appAccountToken {
            recordToken(AccountToken(signedAt: fact.signedAt, token: token), of: chainID)
        }
        if let known = factsByKey.updateValue(fact, forKey: FactKey(fact)) {
            guard CopyOrder.supersedes(fact.transaction, known.transaction) else {
                factsByKey.replaceEntry(known, forKey: FactKey(known))
                supersededCopies.record(fact.transaction, supersededBy: known.transaction)
                return nil
            }
            factsByKey.replaceEntry(fact, forKey: FactKey(fact))
            supersededCopies.record(known.transaction, supersededBy: fact.transaction)
            if chains.change(chainID, { $0.replace(known, by: fact) }) != true {
                disorder.outdated.insert(PurchaseChain.ID(known.transaction))
                append(fact, to: chainID, &disorder)
            }
            return HistoryChanges.Fact(fact: fact, replaced: known)
        }
        append(fact, to: chainID, &disorder)
        return HistoryChanges.Fact(fact: fact, replaced: nil)
    }

    private mutating func append(_ fact: TransactionFact, to id: PurchaseChain.ID, _ disorder: inout Disorder) {
        if !chains.change(id, default: PurchaseChain(), { $0.append(fact) }) { disorder.unsorted.insert(id) }
    }

    private mutating func sort(_ disorder: Disorder) {
        for id in disorder.outdated {
            let isEmpty = chains.change(id) { chain in
                chain.filter { factsByKey[FactKey($0)] === $0 }
                return chain.facts.isEmpty
            }
            if isEmpty == true { chains.remove(id) }
        }
        for id in disorder.unsorted { _ = chains.change(id) { $0.sort() } }
        for key in disorder.unsortedInfos { _ = renewalInfos.change(key) { $0.sort() } }
    }

    /// Takes in whatever a verifier has found, and says what changed.
    package mutating func merge(_ evidence: some Sequence<CheckedEvidence>) -> HistoryChanges {
        var changes = HistoryChanges()
        var disorder = Disorder()
        // An array stays the one it is, and is gone through as one whoever calls.
        for item in Array(evidence) {
            switch item {
            case .transaction(.verified(let transaction)), .transaction(.unsigned(let transaction)):
                if case .transaction(let result) = item { recordProof(of: result) }
                let change = insert(TransactionFact(transaction), &disorder)
                changes.isNew.append(change != nil)
                if let change { changes.facts.append(change) }
            case .transaction(.unverified(let transaction, let error)):
                let isNew =
                    error.code == .environmentRefused
                    ? refusedProductIDs.insert(transaction.productID).inserted
                    : doubtfulProductIDs.insert(transaction.productID).inserted
                changes.isNew.append(false)
                if isNew { changes.notedProductIDs.insert(transaction.productID) }
            case .renewalInfo(.unverified): changes.isNew.append(false)
            case .renewalInfo(.verified(let info)), .renewalInfo(.unsigned(let info)):
                if case .renewalInfo(let result) = item { recordProof(of: result) }
                let isNew = insert(RenewalInfoFact(info), &disorder)
                changes.isNew.append(isNew)
                if isNew { changes.note(info) }
            case .appTransaction, .notification, .unreadable: changes.isNew.append(false)
            }
        }
        sort(disorder)
        return changes
    }

    /// Takes in a renewal info.
    ///
    /// - Returns: Whether this version was not known.
    private mutating func insert(_ fact: RenewalInfoFact, _ disorder: inout Disorder) -> Bool {
        let key = RenewalInfoKey(fact.renewalInfo)
        switch renewalInfos.change(key, default: RenewalInfoSeries(), { $0.insert(fact) }) {
        case .known: return false
        case .appended: return true
        case .late:
            disorder.unsortedInfos.insert(key)
            return true
        }
    }

    private mutating func recordToken(_ token: AccountToken, of id: PurchaseChain.ID) {
        if let known = accountTokens[id],
            !CopyOrder.supersedes((token.token, token.signedAt), (known.token, known.signedAt))
        {
            return
        }
        accountTokens.updateValue(token, forKey: id)
    }

    /// Lets further changes cost less, once the copy that this history was made of by changing it is gone.
    mutating func fold() {
        chains.fold()
        renewalInfos.fold()
        factsByKey.fold()
        accountTokens.fold()
        supersededCopies.fold()
    }

    // MARK: Reading

    /// Equality looks at what answers follow from; what superseded copies said is known for explanations alone.
    public static func == (left: PurchaseHistory, right: PurchaseHistory) -> Bool {
        left.chains == right.chains && left.renewalInfos == right.renewalInfos && left.factsByKey == right.factsByKey
            && left.accountTokens == right.accountTokens && left.isVerified == right.isVerified
            && left.doubtfulProductIDs == right.doubtfulProductIDs
            && left.refusedProductIDs == right.refusedProductIDs
    }

    /// All versions of renewal infos, those of one original transaction in the order in which they were signed.
    var allRenewalInfos: some Sequence<RenewalInfoFact> { renewalInfos.values.lazy.flatMap(\.all) }

    /// The newest version of the renewal info of each original transaction and download of the app, in no order.
    var newestRenewalInfos: [RenewalInfoFact] {
        renewalInfos.values.flatMap { series in
            Dictionary(series.all.map { ($0.renewalInfo.appTransactionID, $0) }) { _, newer in newer }.values
        }
    }

    /// Whether no newer copy of a transaction is known than this one.
    func isNewest(_ fact: TransactionFact) -> Bool { factsByKey[FactKey(fact)] === fact }

    /// The newest copy of a transaction.
    package func fact(_ key: TransactionKey) -> TransactionFact? { factsByKey[FactKey(key)] }

    /// Whether a transaction of a chain is known.
    package func contains(_ chain: ChainID) -> Bool { chains[chain] != nil }

    /// Those keys of renewal infos that a renewal info or a chain has which is known.
    ///
    /// - Complexity: O(1) for each key of which a renewal info is known; for all others together once through the chains.
    package func known(_ keys: Set<RenewalInfoKey>) -> Set<RenewalInfoKey> {
        var unknown = keys.filter { renewalInfos[$0] == nil }
        if !unknown.isEmpty {
            for chain in chains.keys {
                unknown.remove(RenewalInfoKey(chain))
                if unknown.isEmpty { break }
            }
        }
        return keys.subtracting(unknown)
    }

    /// The renewal infos of a chain, the one signed last last.
    ///
    /// A renewal info names no app: it is the chain's by environment and original transaction, and by the
    /// customer's download of the app where both name one.
    func renewalInfos(of id: PurchaseChain.ID) -> LeafArray<RenewalInfoFact> {
        guard let chain = chains[id], let series = renewalInfos[RenewalInfoKey(id)] else { return LeafArray() }
        return series.infos(of: chain)
    }

    /// The app's own name for the customer of each chain that has one: that of its newest-signed copy.
    var tokens: [(chain: PurchaseChain.ID, token: UUID)] {
        accountTokens.map { ($0.key, $0.value.token) }
    }
}

/// An account token and when the copy that carries it was signed.
private struct AccountToken: Hashable, Sendable {
    let signedAt: Instant
    let token: UUID
}
