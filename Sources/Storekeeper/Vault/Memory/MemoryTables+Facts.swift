package import FoundationEssentials

extension MemoryTables {
    /// Adds a fact, unless one of the same payload is there.
    package mutating func insert(_ fact: VerifiedFact, learnedAt: Instant) throws(VaultError) -> FeedPlace? {
        guard factPlaces[fact.jws.payload] == nil else { return nil }
        let row = MemoryFact(sequence: nextSequence(), learnedAt: learnedAt, fact: fact)
        facts.append(row, at: row.sequence)
        let token = fact.transaction.flatMap { tokens[ChainID($0)] }
        list(row)
        note { tables in
            tables.unlist(row, token: token)
            tables.facts.removeLast(row.sequence)
        }
        return FeedPlace(row.sequence)
    }

    /// Puts a fact where it is looked for, among the others in order of place.
    mutating func list(_ row: MemoryFact) {
        factPlaces[row.fact.jws.payload] = row.sequence
        switch row.fact.content {
        case .transaction(let transaction):
            let chain = ChainID(transaction)
            hear(of: chain)
            chainFacts.insert(row.sequence, under: chain)
            copies.insert(row.sequence, under: TransactionKey(transaction))
            guard let token = transaction.appAccountToken else { return }
            let next = (token: token, signedAt: transaction.signedAt)
            if let known = tokens[chain], !CopyOrder.supersedes(next, known) { return }
            tokens[chain] = next
        case .renewalInfo(let info):
            renewalFacts.insert(row.sequence, under: RenewalInfoKey(info))
        }
    }

    /// Undoes ``list(_:)``.
    ///
    /// - Parameter token: The newest token of the chain without the fact.
    mutating func unlist(_ row: MemoryFact, token: (token: UUID, signedAt: Instant)?) {
        factPlaces[row.fact.jws.payload] = nil
        switch row.fact.content {
        case .transaction(let transaction):
            let chain = ChainID(transaction)
            chainFacts.remove(row.sequence, under: chain)
            copies.remove(row.sequence, under: TransactionKey(transaction))
            tokens[chain] = token
        case .renewalInfo(let info):
            renewalFacts.remove(row.sequence, under: RenewalInfoKey(info))
        }
    }

    /// The facts after a place: those of a customer's chains, or everybody's.
    package func facts(
        after place: FeedPlace, of customer: CustomerID?, limit: Int
    ) throws(VaultError) -> [StoredFact] {
        guard let customer else {
            return facts.rows(after: place, limit: limit).map { stored($0, of: holder(of: $0.fact)) }
        }
        return facts.rows(at: factPlaces(of: customer), after: place, limit: limit).map { stored($0, of: customer) }
    }

    private func stored(_ row: MemoryFact, of customer: CustomerID?) -> StoredFact {
        StoredFact(place: FeedPlace(row.sequence), customer: customer, learnedAt: row.learnedAt, fact: row.fact)
    }

    private func holder(of fact: VerifiedFact) -> CustomerID? {
        switch fact.content {
        case .transaction(let transaction): holders[.chain(ChainID(transaction))]?.customer
        case .renewalInfo(let info):
            (try? holders(environment: info.environment, originalID: info.originalTransactionID))?.first
        }
    }

    /// Where the facts of a customer's chains stand, in order.
    func factPlaces(of customer: CustomerID) -> [Int64] {
        let chains = chains(of: customer)
        let own = chains.map { chainFacts[$0] ?? [] }
        let infos = renewalFacts.isEmpty ? [] : Set(chains.map(RenewalInfoKey.init)).map { renewalFacts[$0] ?? [] }
        return (own + infos).flatMap(\.self).sorted()
    }

    func chains(of customer: CustomerID) -> [ChainID] {
        (customers[customer]?.bindings ?? []).compactMap { binding in
            if case .chain(let chain) = binding.subject { chain } else { nil }
        }
    }

    /// All copies of a transaction.
    package func copies(of key: TransactionKey) throws(VaultError) -> [Transaction] {
        (copies[key] ?? []).compactMap { facts[$0]?.fact.transaction }
    }

    /// The newest token that the facts of a chain carry.
    package func token(of chain: ChainID) throws(VaultError) -> (token: UUID, signedAt: Instant)? { tokens[chain] }
}

extension Dictionary where Value == [Int64] {
    /// Takes a place out of a list of places in order, and the list with its last.
    mutating func remove(_ place: Int64, under key: Key) {
        guard let places = self[key] else { return }
        let index = places.firstPlace { $0 >= place }
        guard index < places.count, places[index] == place else { return }
        if places.count == 1 { self[key] = nil } else { self[key]?.remove(at: index) }
    }

    /// Puts a place into a list of places in order.
    mutating func insert(_ place: Int64, under key: Key) {
        let index = self[key]?.firstPlace { $0 >= place } ?? 0
        self[key, default: []].insert(place, at: index)
    }
}
