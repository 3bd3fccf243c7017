package import FoundationEssentials

extension MemoryTables {
    /// Inserts a fact, unless a fact with the same payload is stored.
    package mutating func insert(_ fact: VerifiedFact, learnedAt: Instant) throws(VaultError) -> FeedPlace? {
        let payload = PayloadKey(fact)
        if let transaction = fact.transaction { requireRows(.copies(of: TransactionKey(transaction))) }
        if let purchase = fact.purchase { requireRows(.renewalInfo(of: purchase, payload: payload)) }
        guard rows.factPlaces[payload] == nil else { return nil }
        let row = MemoryRows.Fact(sequence: nextSequence(), learnedAt: learnedAt, fact: fact)
        store(row, payload: payload)
        if log != nil {
            let stored = stored(row, of: fact.transaction.flatMap { binding(of: .chain(ChainID($0)))?.customer })
            record(.fact(stored))
        }
        return FeedPlace(row.sequence)
    }

    /// Stores a fact, and adds it to the indexes.
    mutating func store(_ row: MemoryRows.Fact, payload: PayloadKey) {
        let place = row.sequence
        set(row, at: place, in: \.facts)
        insert(place, into: \.factOrder)
        set(place, at: payload, in: \.factPlaces)
        if let transaction = row.fact.transaction {
            let chain = ChainID(transaction)
            registerChain(of: chain)
            insert(place, under: chain, in: \.chainFacts)
            insert(place, under: TransactionKey(transaction), in: \.copies)
            if let token = transaction.appAccountToken { store(token, signedAt: transaction.signedAt, of: chain) }
        } else if let purchase = row.fact.purchase {
            insert(place, under: purchase, in: \.renewalFacts)
        }
    }

    /// Stores a token of a chain, unless the chain has a newer token.
    mutating func store(_ token: UUID, signedAt: Instant, of chain: ChainID) {
        let next = (token: token, signedAt: signedAt)
        if let known = rows.tokens[chain], !CopyOrder.supersedes(next, known) { return }
        set(next, at: chain, in: \.tokens)
    }

    /// Returns the facts that follow a place in the feed, of one customer's chains or of all customers.
    package func facts(
        after place: FeedPlace, of customer: CustomerID?, limit: Int
    ) throws(VaultError) -> [StoredFact] {
        if case .facts(let facts)? = listed(.facts(after: place, of: customer, limit: limit)) { return facts }
        guard let customer else {
            try checkLists("facts")
            return rows.facts.rows(at: rows.factOrder.elements(after: place.number, limit: limit))
                .map { stored($0, of: holder(of: $0.fact)) }
        }
        requireRows(.facts(of: customer))
        // A chain that had no owner before the step may have facts: evidence of its purchase that it shares with
        // another chain, and transactions that were learned without an owner.
        for case .chain(let chain) in newSubjects(of: customer) {
            requireRows(.chainFacts(of: chain))
            requireRows(.renewalInfos(of: RenewalInfoKey(chain)))
        }
        let places = factPlaces(of: customer).elements(after: place.number, limit: limit)
        return rows.facts.rows(at: places).map { stored($0, of: customer) }
    }

    private func stored(_ row: MemoryRows.Fact, of customer: CustomerID?) -> StoredFact {
        StoredFact(place: FeedPlace(row.sequence), customer: customer, learnedAt: row.learnedAt, fact: row.fact)
    }

    private func holder(of fact: VerifiedFact) -> CustomerID? {
        if let transaction = fact.transaction { return binding(of: .chain(ChainID(transaction)))?.customer }
        guard let purchase = fact.purchase else { return nil }
        return (try? holders(environment: purchase.environment, originalID: purchase.originalID))?.first
    }

    /// Returns the places in the vault of all facts that belong to the customer's chains, in ascending order.
    private func factPlaces(of customer: CustomerID) -> [Int64] {
        let chains = chains(of: customer)
        let own = chains.map { rows.chainFacts[$0] }
        let infos = rows.renewalFacts.isEmpty ? [] : Set(chains.map(RenewalInfoKey.init)).map { rows.renewalFacts[$0] }
        return (own + infos).flatMap(\.all).sorted()
    }

    private func chains(of customer: CustomerID) -> [ChainID] {
        rows.bindings.rows(at: rows.customerBindings[customer].all).compactMap { binding in
            if case .chain(let chain) = binding.subject { chain } else { nil }
        }
    }

    /// Returns all copies of a transaction.
    package func copies(of key: TransactionKey) throws(VaultError) -> [Transaction] {
        requireRows(.copies(of: key))
        return rows.facts.rows(at: rows.copies[key].all).compactMap(\.fact.transaction)
    }

    /// Returns the newest token among the facts of a chain, with the signed date of the token's fact.
    package func token(of chain: ChainID) throws(VaultError) -> (token: UUID, signedAt: Instant)? {
        requireRows(.token(of: chain))
        return rows.tokens[chain]
    }
}
