import FoundationEssentials

extension MemoryTables {
    /// Puts a fact aside, unless one of the same payload is there.
    package mutating func park(_ fact: ParkedFact, claimant: CustomerID?) throws(VaultError) -> Bool {
        let payload = PayloadKey(fact.fact)
        need(.parkedFact(payload: payload))
        if log != nil, let transaction = fact.fact.transaction {
            // The rows of its chain and its token change with it.
            needHolder(of: .chain(ChainID(transaction)))
            if let token = transaction.appAccountToken { needHolder(of: .token(token)) }
        }
        guard parkPlaces[payload] == nil else { return false }
        let place = nextSequence()
        hold(fact, at: place)
        record(.parked(fact, place: place, claimant: claimant))
        return true
    }

    /// Puts a parked fact where it is looked for.
    mutating func hold(_ parked: ParkedFact, at place: Int64) {
        park.append(parked, at: place)
        parkPlaces[PayloadKey(parked.fact)] = place
        switch parked.fact.content {
        case .transaction(let transaction):
            let chain = ChainID(transaction)
            hear(of: chain)
            parkedChains.insert(place, under: chain)
        case .renewalInfo(let info): parkedRenewals.insert(place, under: RenewalInfoKey(info))
        }
        if let token = parked.fact.appAccountToken { parkedTokens.insert(place, under: token) }
    }

    /// What is parked, a page of it.
    package func parked(after place: FeedPlace, limit: Int) throws(VaultError) -> VaultPage<ParkedFact> {
        if case .parked(let page)? = listed(.parked(after: place, limit: limit)) { return page }
        try checkLists("parked evidence")
        return VaultPage(park.placedRows(at: nil, after: place, limit: limit), limit: limit)
    }

    /// What is parked of chains or with tokens that belong to a customer, a page of it.
    package func parked(
        heldBy customer: CustomerID, after place: FeedPlace, limit: Int
    ) throws(VaultError) -> VaultPage<ParkedFact> {
        if case .parked(let page)? = listed(.parkedFor(customer, after: place, limit: limit)) { return page }
        need(.parkedFacts(heldBy: customer))
        needParked(under: newSubjects(of: customer))
        return VaultPage(park.placedRows(at: parkedPlaces(heldBy: customer), after: place, limit: limit), limit: limit)
    }

    /// Where it stands, in order.
    func parkedPlaces(heldBy customer: CustomerID) -> [Int64] {
        guard !parkPlaces.isEmpty else { return [] }
        var places = parkedPlaces(under: bindings.rows(at: customerBindings[customer]).lazy.map(\.subject))
        if accountTokens == .asIDs, let token = customer.uuid, holders[.token(token)] == nil {
            places.formUnion(parkedTokens[token])
        }
        return places.sorted()
    }

    /// What is parked under chains and tokens, the first page of it.
    package func parked(under subjects: [BindingSubject], limit: Int) throws(VaultError) -> VaultPage<ParkedFact> {
        needParked(under: subjects)
        guard !parkPlaces.isEmpty else { return VaultPage() }
        let places = parkedPlaces(under: subjects).sorted()
        return VaultPage(park.placedRows(at: places, after: .start, limit: limit), limit: limit)
    }

    private func needParked(under subjects: [BindingSubject]) {
        guard log != nil else { return }
        for subject in subjects {
            switch subject {
            case .chain(let chain):
                need(.parkedChain(of: chain))
                need(.parkedInfos(of: RenewalInfoKey(chain)))
            case .token(let token): need(.parkedToken(token))
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

    /// What is parked of transactions of a chain, a page of it.
    package func parked(
        of chain: ChainID, after place: FeedPlace, limit: Int
    ) throws(VaultError) -> VaultPage<ParkedFact> {
        need(.parkedChain(of: chain))
        return VaultPage(park.placedRows(at: parkedChains[chain], after: place, limit: limit), limit: limit)
    }

    /// Takes a fact of the same payload out of the park.
    package mutating func unpark(_ fact: VerifiedFact) throws(VaultError) {
        guard !parkPlaces.isEmpty || log != nil else { return }
        let payload = PayloadKey(fact)
        guard let place = parkPlaces[payload] else { return need(.parkedFact(payload: payload)) }
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
    /// The token that it carries.
    var appAccountToken: UUID? {
        switch content {
        case .transaction(let transaction): transaction.appAccountToken
        case .renewalInfo(let info): info.appAccountToken
        }
    }
}
