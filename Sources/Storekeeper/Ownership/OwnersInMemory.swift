import FoundationEssentials

/// Looks up owners in one customer's history: its chains, their newest tokens and the other evidence of its purchases
/// belong to the customer.
///
/// All other evidence counts as evidence without an owner. From these owners, ``Ownership`` predicts the vault's
/// result, so that a second attempt to write is usually not needed.
struct HistoryOwners: OwnershipTables {
    let accountTokens: AccountTokenRule
    private let customer: CustomerID
    private let history: PurchaseHistory
    /// The history's newest tokens of the chains to which the facts belong.
    private let tokens: Set<UUID>
    /// The purchases in the history to which the facts other than transactions refer.
    private let purchases: Set<RenewalInfoKey>

    /// - Parameters:
    ///   - facts: The facts whose owners will be looked up.
    ///   - outline: The outline of the facts.
    init(
        of customer: CustomerID, _ accountTokens: AccountTokenRule, _ history: PurchaseHistory,
        about facts: [VerifiedFact], _ outline: FactOutline
    ) {
        self.customer = customer
        self.accountTokens = accountTokens
        self.history = history
        tokens = Set(outline.claims.lazy.compactMap { history.newestToken(of: $0.chain)?.token })
        guard outline.hasOtherEvidence else {
            purchases = []
            return
        }
        // All purchases are looked up together, in one pass over the history's chains. A purchase whose chain is among
        // the facts needs no look-up.
        let ofChains = Set(outline.claims.lazy.map { RenewalInfoKey($0.chain) })
        let keys = Set(facts.lazy.compactMap(\.purchase))
        purchases = history.known(keys.subtracting(ofChains))
    }

    func contains(_ customer: CustomerID) -> Bool { customer == self.customer }

    func holder(of subject: BindingSubject) -> CustomerID? {
        switch subject {
        case .chain(let chain): history.contains(chain) ? customer : nil
        case .token(let token): tokens.contains(token) ? customer : nil
        }
    }

    func holders(environment: AppStore.Environment, originalID: Transaction.ID) -> [CustomerID] {
        let key = RenewalInfoKey(environment: environment, originalID: originalID)
        return purchases.contains(key) ? [customer] : []
    }

    func chains(of purchase: RenewalInfoKey) -> [ChainID] { [] }

    func token(of chain: ChainID) -> (token: UUID, signedAt: Instant)? { history.newestToken(of: chain) }

    func hasCopies(of key: TransactionKey) -> Bool { history.fact(key) != nil }
}

/// The owners that a cache contains; a look-up of any other owner throws, so that the caller asks the vault instead.
struct CachedOwners: OwnershipTables {
    /// The error thrown if an owner is looked up that the cache does not contain.
    struct Missing: Error {}

    let recent: [ChainID: CustomerID]
    let earlier: [ChainID: CustomerID]

    func contains(_ customer: CustomerID) throws(Missing) -> Bool { throw Missing() }

    func holder(of subject: BindingSubject) throws(Missing) -> CustomerID? {
        guard case .chain(let chain) = subject, let holder = recent[chain] ?? earlier[chain] else { throw Missing() }
        return holder
    }

    func holders(environment: AppStore.Environment, originalID: Transaction.ID) throws(Missing) -> [CustomerID] {
        throw Missing()
    }

    func chains(of purchase: RenewalInfoKey) throws(Missing) -> [ChainID] { throw Missing() }

    func token(of chain: ChainID) throws(Missing) -> (token: UUID, signedAt: Instant)? { throw Missing() }

    func hasCopies(of key: TransactionKey) throws(Missing) -> Bool { throw Missing() }
}
