import FoundationEssentials

extension MemoryTables {
    /// Parks a fact, unless there is one with the same payload.
    package mutating func park(_ fact: ParkedFact, claimant: CustomerID?) throws(VaultError) -> Bool {
        let payload = PayloadKey(fact.fact)
        requireRows(.parkedFact(payload: payload))
        if log != nil, let transaction = fact.fact.transaction {
            // The rows of its chain and its token change with it.
            requireHolder(of: .chain(ChainID(transaction)))
            if let token = transaction.appAccountToken { requireHolder(of: .token(token)) }
        }
        guard parkPlaces[payload] == nil else { return false }
        let place = nextSequence()
        store(fact, at: place)
        record(.parked(fact, place: place, claimant: claimant))
        return true
    }

    /// Stores a parked fact with its indexes.
    mutating func store(_ parked: ParkedFact, at place: Int64) {
        park.append(parked, at: place)
        parkPlaces[PayloadKey(parked.fact)] = place
        switch parked.fact.content {
        case .transaction(let transaction):
            let chain = ChainID(transaction)
            registerChain(of: chain)
            parkedChains.insert(place, under: chain)
        case .renewalInfo(let info): parkedRenewals.insert(place, under: RenewalInfoKey(info))
        }
        if let token = parked.fact.appAccountToken { parkedTokens.insert(place, under: token) }
    }

    /// Returns a page of the parked facts.
    package func parked(after place: FeedPlace, limit: Int) throws(VaultError) -> VaultPage<ParkedFact> {
        if case .parked(let page)? = listed(.parked(after: place, limit: limit)) { return page }
        try checkLists("parked evidence")
        return VaultPage(park.placedRows(at: nil, after: place, limit: limit), limit: limit)
    }

    /// Returns a page of the parked facts whose chain or token belongs to a customer.
    package func parked(
        heldBy customer: CustomerID, after place: FeedPlace, limit: Int
    ) throws(VaultError) -> VaultPage<ParkedFact> {
        if case .parked(let page)? = listed(.parkedFor(customer, after: place, limit: limit)) { return page }
        requireRows(.parkedFacts(heldBy: customer))
        requireParked(under: newSubjects(of: customer))
        return VaultPage(park.placedRows(at: parkedPlaces(heldBy: customer), after: place, limit: limit), limit: limit)
    }

    /// Returns the sequence numbers of parked facts, in order.
    func parkedPlaces(heldBy customer: CustomerID) -> [Int64] {
        guard !parkPlaces.isEmpty else { return [] }
        var places = parkedPlaces(under: bindings.rows(at: customerBindings[customer]).lazy.map(\.subject))
        if let token = accountTokens.token(naming: customer), holders[.token(token)] == nil {
            places.formUnion(parkedTokens[token])
        }
        return places.sorted()
    }

    /// Returns the first page of the parked facts under chains and tokens.
    package func parked(under subjects: [BindingSubject], limit: Int) throws(VaultError) -> VaultPage<ParkedFact> {
        requireParked(under: subjects)
        guard !parkPlaces.isEmpty else { return VaultPage() }
        let places = parkedPlaces(under: subjects).sorted()
        return VaultPage(park.placedRows(at: places, after: .start, limit: limit), limit: limit)
    }

    private func requireParked(under subjects: [BindingSubject]) {
        guard log != nil else { return }
        for subject in subjects {
            switch subject {
            case .chain(let chain):
                requireRows(.parkedChain(of: chain))
                requireRows(.parkedInfos(of: RenewalInfoKey(chain)))
            case .token(let token): requireRows(.parkedToken(token))
            }
        }
    }

    private func parkedPlaces(under subjects: some Sequence<BindingSubject>) -> Set<Int64> {
        var places: Set<Int64> = []
        for subject in subjects {
            switch subject {
            case .chain(let chain):
                places.formUnion(parkedChains[chain])
                places.formUnion(parkedRenewals[RenewalInfoKey(chain)])
            case .token(let token): places.formUnion(parkedTokens[token])
            }
        }
        return places
    }

    /// Returns a page of the parked transactions of a chain.
    package func parked(
        of chain: ChainID, after place: FeedPlace, limit: Int
    ) throws(VaultError) -> VaultPage<ParkedFact> {
        requireRows(.parkedChain(of: chain))
        return VaultPage(park.placedRows(at: parkedChains[chain], after: place, limit: limit), limit: limit)
    }

    /// Removes a fact with the same payload from the park.
    package mutating func unpark(_ fact: VerifiedFact) throws(VaultError) {
        guard !parkPlaces.isEmpty || log != nil else { return }
        let payload = PayloadKey(fact)
        guard let place = parkPlaces[payload] else { return requireRows(.parkedFact(payload: payload)) }
        record(.unparked(fact))
        park.remove(place)
        parkPlaces[payload] = nil
        switch fact.content {
        case .transaction(let transaction): parkedChains.remove(place, under: ChainID(transaction))
        case .renewalInfo(let info): parkedRenewals.remove(place, under: RenewalInfoKey(info))
        }
        if let token = fact.appAccountToken { parkedTokens.remove(place, under: token) }
    }
}

extension VerifiedFact {
    /// The token that the fact carries.
    var appAccountToken: UUID? {
        switch content {
        case .transaction(let transaction): transaction.appAccountToken
        case .renewalInfo(let info): info.appAccountToken
        }
    }
}
