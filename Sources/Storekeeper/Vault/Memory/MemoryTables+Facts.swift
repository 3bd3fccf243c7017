package import FoundationEssentials

extension MemoryTables {
    /// Inserts a fact, unless there is one with the same payload.
    package mutating func insert(_ fact: VerifiedFact, learnedAt: Instant) throws(VaultError) -> FeedPlace? {
        let payload = PayloadKey(fact)
        switch fact.content {
        case .transaction(let transaction): requireRows(.copies(of: TransactionKey(transaction)))
        case .renewalInfo(let info): requireRows(.renewalInfo(of: RenewalInfoKey(info), payload: payload))
        }
        guard factPlaces[payload] == nil else { return nil }
        let row = MemoryFact(sequence: nextSequence(), learnedAt: learnedAt, fact: fact)
        store(row, payload: payload)
        if log != nil {
            let stored = stored(row, of: fact.transaction.flatMap { binding(of: .chain(ChainID($0)))?.customer })
            record(.fact(stored))
        }
        return FeedPlace(row.sequence)
    }

    /// Stores a fact with its indexes.
    mutating func store(_ row: MemoryFact, payload: PayloadKey) {
        facts.append(row, at: row.sequence)
        factPlaces[payload] = row.sequence
        switch row.fact.content {
        case .transaction(let transaction):
            let chain = ChainID(transaction)
            registerChain(of: chain)
            chainFacts.insert(row.sequence, under: chain)
            copies.insert(row.sequence, under: TransactionKey(transaction))
            if let token = transaction.appAccountToken { store(token, signedAt: transaction.signedAt, of: chain) }
        case .renewalInfo(let info):
            renewalFacts.insert(row.sequence, under: RenewalInfoKey(info))
        }
    }

    /// Stores a token of a chain, unless it has a newer one.
    mutating func store(_ token: UUID, signedAt: Instant, of chain: ChainID) {
        let next = (token: token, signedAt: signedAt)
        if let known = tokens[chain], !CopyOrder.supersedes(next, known) { return }
        tokens[chain] = next
    }

    /// Returns the facts after a place, of one customer's chains or of all.
    package func facts(
        after place: FeedPlace, of customer: CustomerID?, limit: Int
    ) throws(VaultError) -> [StoredFact] {
        if case .facts(let facts)? = listed(.facts(after: place, of: customer, limit: limit)) { return facts }
        guard let customer else {
            try checkLists("facts")
            return facts.rows(after: place, limit: limit).map { stored($0, of: holder(of: $0.fact)) }
        }
        requireRows(.facts(of: customer))
        // A chain that had no owner may have facts, too: renewal infos, and facts that were learned without an owner.
        for case .chain(let chain) in newSubjects(of: customer) {
            requireRows(.chainFacts(of: chain))
            requireRows(.renewalInfos(of: RenewalInfoKey(chain)))
        }
        return facts.rows(at: factPlaces(of: customer), after: place, limit: limit).map { stored($0, of: customer) }
    }

    private func stored(_ row: MemoryFact, of customer: CustomerID?) -> StoredFact {
        StoredFact(place: FeedPlace(row.sequence), customer: customer, learnedAt: row.learnedAt, fact: row.fact)
    }

    private func holder(of fact: VerifiedFact) -> CustomerID? {
        switch fact.content {
        case .transaction(let transaction): binding(of: .chain(ChainID(transaction)))?.customer
        case .renewalInfo(let info):
            (try? holders(environment: info.environment, originalID: info.originalTransactionID))?.first
        }
    }

    /// Returns the places of the facts of a customer's chains, in order.
    private func factPlaces(of customer: CustomerID) -> [Int64] {
        let chains = chains(of: customer)
        let own = chains.map { chainFacts[$0] }
        let infos = renewalFacts.isEmpty ? [] : Set(chains.map(RenewalInfoKey.init)).map { renewalFacts[$0] }
        return (own + infos).flatMap(\.self).sorted()
    }

    private func chains(of customer: CustomerID) -> [ChainID] {
        bindings.rows(at: customerBindings[customer]).compactMap { binding in
            if case .chain(let chain) = binding.subject { chain } else { nil }
        }
    }

    /// Returns all copies of a transaction.
    package func copies(of key: TransactionKey) throws(VaultError) -> [Transaction] {
        requireRows(.copies(of: key))
        return facts.rows(at: copies[key]).compactMap(\.fact.transaction)
    }

    /// Returns the newest token of the facts of a chain.
    package func token(of chain: ChainID) throws(VaultError) -> (token: UUID, signedAt: Instant)? {
        requireRows(.token(of: chain))
        return tokens[chain]
    }
}
