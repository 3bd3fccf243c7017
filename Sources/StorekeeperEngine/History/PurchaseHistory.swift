import FoundationEssentials

/// The known purchases of one customer.
///
/// The order in which evidence is added does not matter, and neither does adding it repeatedly. A history stores the
/// newest copy of each transaction. It stores every version of a renewal info, because an older version may be about an
/// earlier period. Evidence that failed verification is not added; only the product that it names is recorded as
/// doubtful.
public struct PurchaseHistory: Sendable, Equatable {
    private(set) var chains: [PurchaseChain.ID: PurchaseChain] = [:]
    /// All versions of renewal infos, by key.
    private(set) var renewalInfos: [RenewalInfoKey: RenewalInfoSeries] = [:]
    /// The App Store's own states of each chain, in any order.
    private(set) var reportedStatuses: [PurchaseChain.ID: Set<ReportedStatus>] = [:]
    /// Whether every fact was verified.
    ///
    /// Once an unsigned payload was added, the value stays `false`.
    package private(set) var isVerified = true
    /// Products named by evidence that failed verification.
    package private(set) var doubtfulProductIDs: Set<Product.ID> = []
    /// Products named by evidence from an environment that is not accepted.
    package private(set) var refusedProductIDs: Set<Product.ID> = []
    /// Purchases of other apps; their renewal infos name no app.
    private(set) var purchasesOfOtherApps: Set<RenewalInfoKey> = []

    /// The newest copy of each app transaction.
    private(set) var appTransactions = AppTransactions()

    private var factsByKey: [TransactionKey: TransactionFact] = [:]
    private var accountTokens: [PurchaseChain.ID: AccountToken] = [:]
    /// The older copies of transactions that differ from the newest copy.
    private(set) var supersededCopies = SupersededCopies()
    /// The signing time of the newest verified copy of each environment: a lower bound of the current time.
    private(set) var newestSignatures = NewestSignatures()

    /// Creates an empty history.
    public init() {}

    /// Creates the history of verified facts, such as those of a vault.
    package init(verified facts: some Sequence<VerifiedFact>) {
        _ = merge(facts.map(\.evidence))
    }

    /// The number of known transactions.
    package var count: Int { factsByKey.count }

    /// The newest copy of each transaction, in no particular order.
    package var transactions: [Transaction] { factsByKey.values.map(\.transaction) }

    /// The newest copy of each transaction, as facts in no particular order.
    var facts: some Sequence<TransactionFact> { factsByKey.values }

    // MARK: Adding

    /// Adds transactions; of an unverified transaction only the product is recorded.
    ///
    /// An unsigned transaction counts, and marks every answer as unverified.
    ///
    /// - Returns: Whether a transaction was added or replaced.
    @discardableResult
    public mutating func merge(_ results: some Sequence<VerificationResult<Transaction>>) -> Bool {
        // Converting an array is free, and converting any other sequence takes less time than iterating it directly.
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
            case .unverified(let transaction, let error):
                if error.code == .bundleMismatch { recordOtherApp(RenewalInfoKey(ChainID(transaction))) }
                markDoubtful(transaction.productID)
            }
        }
        return insert(verified)
    }

    /// Adds a transaction; of an unverified transaction only the product is recorded.
    ///
    /// An unsigned transaction counts, and marks every answer as unverified.
    ///
    /// - Returns: Whether a transaction was added or replaced.
    @discardableResult
    public mutating func merge(_ result: VerificationResult<Transaction>) -> Bool {
        merge(CollectionOfOne(result))
    }

    /// Adds a verifier's result if it is a transaction, a renewal info or an app transaction.
    ///
    /// Of a notification only the App Store's state of the subscription is added; the signed transaction and the signed
    /// renewal info inside must be verified and added separately.
    ///
    /// - Returns: Whether a fact was added or replaced.
    @discardableResult
    public mutating func merge(_ evidence: CheckedEvidence) -> Bool {
        switch evidence {
        case .transaction(let result): merge(result)
        case .renewalInfo(let result): merge(result)
        case .notification(let result): merge(result) != nil
        case .appTransaction(let result): merge(result)
        case .unreadable: false
        }
    }

    /// Adds an app transaction, unless it is unverified.
    ///
    /// An unsigned app transaction counts, and marks every answer as unverified.
    ///
    /// - Returns: Whether the app transaction was added or replaced.
    @discardableResult
    public mutating func merge(_ result: VerificationResult<AppTransaction>) -> Bool {
        switch result {
        case .verified(let appTransaction), .unsigned(let appTransaction):
            recordProof(of: result)
            return appTransactions.insert(AppTransactionFact(appTransaction))
        case .unverified: return false
        }
    }

    /// Adds the App Store's state of a subscription that a notification contains, unless it is unverified.
    ///
    /// - Returns: The state; `nil` if it was known, or if the notification contains none.
    private mutating func merge(_ result: VerificationResult<ServerNotification>) -> ReportedStatus? {
        switch result {
        case .verified(let notification), .unsigned(let notification):
            guard let status = ReportedStatus(notification), record(status) else { return nil }
            recordProof(of: result)
            return status
        case .unverified: return nil
        }
    }

    /// Adds the App Store's state of a subscription.
    ///
    /// - Returns: Whether the state was new.
    @discardableResult
    package mutating func record(_ status: ReportedStatus) -> Bool {
        reportedStatuses[PurchaseChain.ID(status), default: []].insert(status).inserted
    }

    /// Adds a renewal info, unless it is unverified.
    ///
    /// An unsigned renewal info counts, and marks every answer as unverified.
    ///
    /// - Returns: Whether this version of the renewal info was added.
    @discardableResult
    public mutating func merge(_ result: VerificationResult<RenewalInfo>) -> Bool {
        switch result {
        case .verified(let info), .unsigned(let info):
            recordProof(of: result)
            var disorder = UnsortedEvidence()
            defer { sort(disorder) }
            return insert(RenewalInfoFact(info), &disorder)
        case .unverified: return false
        }
    }

    /// Records when a verified fact was signed, or marks every answer as unverified if the fact is unsigned.
    private mutating func recordProof<Payload: DecodedFact>(of result: VerificationResult<Payload>) {
        guard result.isProven else {
            isVerified = false
            return
        }
        let payload = result.unsafePayloadValue
        newestSignatures.record(payload.signedAt, in: payload.environment)
    }

    /// Records that unverified evidence names a product.
    package mutating func markDoubtful(_ productID: Product.ID) { doubtfulProductIDs.insert(productID) }

    /// Records that evidence from an environment that is not accepted names a product.
    package mutating func markRefused(_ productID: Product.ID) { refusedProductIDs.insert(productID) }

    /// Records that a purchase belongs to another app.
    package mutating func recordOtherApp(_ purchase: RenewalInfoKey) { purchasesOfOtherApps.insert(purchase) }

    /// Merges another history of the same customer.
    package mutating func merge(_ other: PurchaseHistory) {
        insert(Array(other.factsByKey.values))
        var disorder = UnsortedEvidence()
        for fact in other.allRenewalInfos { _ = insert(fact, &disorder) }
        sort(disorder)
        for (id, token) in other.accountTokens { recordToken(token, of: id) }
        supersededCopies.merge(other.supersededCopies) { factsByKey[$0]?.transaction }
        appTransactions.merge(other.appTransactions)
        doubtfulProductIDs.formUnion(other.doubtfulProductIDs)
        refusedProductIDs.formUnion(other.refusedProductIDs)
        purchasesOfOtherApps.formUnion(other.purchasesOfOtherApps)
        isVerified = isVerified && other.isVerified
        newestSignatures.merge(other.newestSignatures)
        for (_, statuses) in other.reportedStatuses { for status in statuses { record(status) } }
    }

    @discardableResult
    private mutating func insert(_ facts: [TransactionFact]) -> Bool {
        var isChanged = false
        var disorder = UnsortedEvidence()
        if facts.count > 1 { factsByKey.reserveCapacity(factsByKey.count + facts.count) }
        for fact in facts where insert(fact, &disorder) != nil { isChanged = true }
        sort(disorder)
        return isChanged
    }

    /// The chains and the series of renewal infos that must be sorted after the whole batch was added.
    ///
    /// The sets are empty if the evidence arrives in order, which is usual.
    private struct UnsortedEvidence {
        var unsorted: Set<PurchaseChain.ID> = []
        var outdated: Set<PurchaseChain.ID> = []
        var unsortedInfos: Set<RenewalInfoKey> = []
    }

    /// Adds a transaction.
    ///
    /// - Returns: The change; `nil` if the history already has a copy that is at least as new.
    private mutating func insert(_ fact: TransactionFact, _ disorder: inout UnsortedEvidence) -> HistoryChanges.Fact? {
        let chainID = PurchaseChain.ID(fact.transaction)
        if let token = fact.transaction.appAccountToken {
            recordToken(AccountToken(signedAt: fact.signedAt, token: token), of: chainID)
        }
        if let known = factsByKey.updateValue(fact, forKey: fact.key) {
            guard CopyOrder.supersedes(fact.transaction, known.transaction) else {
                factsByKey[known.key] = known
                supersededCopies.record(fact.transaction, supersededBy: known.transaction)
                return nil
            }
            supersededCopies.record(known.transaction, supersededBy: fact.transaction)
            if chains[chainID]?.replace(known, by: fact) != true {
                disorder.outdated.insert(PurchaseChain.ID(known.transaction))
                append(fact, to: chainID, &disorder)
            }
            return HistoryChanges.Fact(fact: fact, replaced: known)
        }
        append(fact, to: chainID, &disorder)
        return HistoryChanges.Fact(fact: fact, replaced: nil)
    }

    private mutating func append(_ fact: TransactionFact, to id: PurchaseChain.ID, _ disorder: inout UnsortedEvidence) {
        if !chains[id, default: PurchaseChain()].append(fact) { disorder.unsorted.insert(id) }
    }

    private mutating func sort(_ disorder: UnsortedEvidence) {
        for id in disorder.outdated {
            chains[id]?.filter { factsByKey[$0.key] === $0 }
            if chains[id]?.facts.isEmpty == true { chains[id] = nil }
        }
        for id in disorder.unsorted { chains[id]?.sort() }
        for key in disorder.unsortedInfos { renewalInfos[key]?.sort() }
    }

    /// Adds a verifier's results, and returns the changes.
    package mutating func merge(_ evidence: some Sequence<CheckedEvidence>) -> HistoryChanges {
        var changes = HistoryChanges()
        var disorder = UnsortedEvidence()
        // Converting an array does not copy it. The compiler specializes the loop for arrays, whatever sequence the
        // caller passes.
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
                if isNew { changes.changedProductIDs.insert(transaction.productID) }
            case .renewalInfo(.unverified): changes.isNew.append(false)
            case .renewalInfo(.verified(let info)), .renewalInfo(.unsigned(let info)):
                if case .renewalInfo(let result) = item { recordProof(of: result) }
                let isNew = insert(RenewalInfoFact(info), &disorder)
                changes.isNew.append(isNew)
                if isNew { changes.record(info) }
            case .notification(let result):
                let status = merge(result)
                changes.isNew.append(status != nil)
                if let status { changes.record(status) }
            case .appTransaction(let result):
                let isNew = merge(result)
                changes.isNew.append(isNew)
                if isNew { changes.hasAppTransaction = true }
            case .unreadable: changes.isNew.append(false)
            }
        }
        sort(disorder)
        return changes
    }

    /// Adds a renewal info.
    ///
    /// - Returns: Whether this version was new.
    private mutating func insert(_ fact: RenewalInfoFact, _ disorder: inout UnsortedEvidence) -> Bool {
        let key = RenewalInfoKey(fact.renewalInfo)
        switch renewalInfos[key, default: RenewalInfoSeries()].insert(fact) {
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
        accountTokens[id] = token
    }

    // MARK: Reading

    /// Returns whether two histories lead to the same answers; superseded copies are not compared, because they explain
    /// answers but do not change them.
    public static func == (left: PurchaseHistory, right: PurchaseHistory) -> Bool {
        left.chains == right.chains && left.renewalInfos == right.renewalInfos && left.factsByKey == right.factsByKey
            && left.accountTokens == right.accountTokens && left.reportedStatuses == right.reportedStatuses
            && left.isVerified == right.isVerified && left.appTransactions == right.appTransactions
            && left.doubtfulProductIDs == right.doubtfulProductIDs
            && left.refusedProductIDs == right.refusedProductIDs
    }

    /// All versions of all renewal infos; the versions of one original transaction are in order of signing.
    var allRenewalInfos: some Sequence<RenewalInfoFact> { renewalInfos.values.lazy.flatMap(\.all) }

    /// Whether the history contains a renewal info.
    package var hasRenewalInfos: Bool { allRenewalInfos.contains { _ in true } }

    /// The newest renewal info of each original transaction and app transaction id, in no particular order.
    var newestRenewalInfos: [RenewalInfoFact] {
        renewalInfos.values.flatMap { series in
            Dictionary(series.all.map { ($0.renewalInfo.appTransactionID, $0) }) { _, newer in newer }.values
        }
    }

    /// Returns whether no newer copy of the transaction is known.
    func isNewest(_ fact: TransactionFact) -> Bool { factsByKey[fact.key] === fact }

    /// Returns the newest copy of a transaction.
    package func fact(_ key: TransactionKey) -> TransactionFact? { factsByKey[key] }

    /// Returns the newest copy of a transaction as verified evidence; `nil` if the transaction is not known, or if
    /// ``isVerified`` is `false`.
    package func verifiedFact(_ key: TransactionKey) -> VerifiedFact? {
        guard isVerified, let fact = fact(key) else { return nil }
        return VerifiedFact(.transaction(.verified(fact.transaction)))
    }

    /// Returns the given keys under which the history has a renewal info or a chain.
    ///
    /// - Complexity: O(1) for each key with a known renewal info; for all other keys together, one pass over the
    ///   chains.
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

    /// Returns the renewal infos of a chain in order of signing.
    ///
    /// A renewal info does not name its app. An info belongs to a chain with the same environment and original
    /// transaction, unless both have app transaction ids and these differ.
    func renewalInfos(of id: PurchaseChain.ID) -> [RenewalInfoFact] {
        guard let chain = chains[id], let series = renewalInfos[RenewalInfoKey(id)] else { return [] }
        return series.infos(of: chain)
    }

    /// Returns the signed states of a chain according to the App Store, in order of signing.
    ///
    /// Of several that were signed at the same instant, only the one that counts is returned.
    func signedStatuses(of id: PurchaseChain.ID) -> [ReportedStatus] {
        guard let statuses = reportedStatuses[id] else { return [] }
        let sorted = statuses.filter(\.isSigned).sorted(by: ReportedStatus.precedes)
        return sorted.indices.filter { $0 + 1 == sorted.count || sorted[$0].signedAt != sorted[$0 + 1].signedAt }
            .map { sorted[$0] }
    }

    /// Returns what determines the time after the periods of a chain: its renewal infos and the App Store's states.
    func pairing(of id: PurchaseChain.ID) -> RenewalPairing {
        RenewalPairing(renewalInfos(of: id), statuses: signedStatuses(of: id))
    }

    /// The account token of each chain that has one; if copies of its transactions have different tokens, the token
    /// that was signed last counts.
    var tokens: [(chain: PurchaseChain.ID, token: UUID)] {
        accountTokens.map { ($0.key, $0.value.token) }
    }
}

/// An account token, and the signing time of the transaction copy that contains the token.
private struct AccountToken: Hashable, Sendable {
    let signedAt: Instant
    let token: UUID
}
