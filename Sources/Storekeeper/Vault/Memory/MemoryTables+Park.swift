package import FoundationEssentials

extension MemoryTables {
    /// Parks a fact, unless a fact with the same payload is parked.
    package mutating func park(_ fact: ParkedFact, claimant: CustomerID?) throws(VaultError) -> Bool {
        let payload = PayloadKey(fact.fact)
        requireRows(.parkedFact(payload: payload))
        if log != nil, let chain = fact.fact.chain {
            // Parking the evidence may also change the rows of its chain and token in the storage.
            requireHolder(of: .chain(chain))
            if let token = fact.fact.appAccountToken { requireHolder(of: .token(token)) }
            if let predecessor = fact.fact.predecessor { requireHolder(of: .chain(predecessor)) }
        }
        guard rows.parkPlaces[payload] == nil else { return false }
        let place = nextSequence()
        store(fact, at: place)
        record(.parked(fact, place: place, claimant: claimant))
        return true
    }

    /// Stores a parked fact, and adds it to the indexes.
    mutating func store(_ parked: ParkedFact, at place: Int64) {
        set(parked, at: place, in: \.park)
        insert(place, into: \.parkOrder)
        set(place, at: PayloadKey(parked.fact), in: \.parkPlaces)
        if let chain = parked.fact.chain {
            registerChain(of: chain)
            insert(place, under: chain, in: \.parkedChains)
        } else if let purchase = parked.fact.purchase {
            insert(place, under: purchase, in: \.parkedRenewals)
        }
        if let token = parked.fact.appAccountToken { insert(place, under: token, in: \.parkedTokens) }
        if let predecessor = parked.fact.predecessor { insert(place, under: predecessor, in: \.parkedSuccessors) }
    }

    /// Returns a page of the parked facts.
    package func parked(after place: FeedPlace, limit: Int) throws(VaultError) -> VaultPage<ParkedFact> {
        if case .parked(let page)? = listed(.parked(after: place, limit: limit)) { return page }
        try checkLists("parked evidence")
        return VaultPage(rows.park, at: rows.parkOrder.elements(after: place.number, limit: limit), limit: limit)
    }

    /// Returns a page of the parked facts whose chain, token or predecessor belongs to a customer.
    package func parked(
        heldBy customer: CustomerID, after place: FeedPlace, limit: Int
    ) throws(VaultError) -> VaultPage<ParkedFact> {
        if case .parked(let page)? = listed(.parkedFor(customer, after: place, limit: limit)) { return page }
        requireRows(.parkedFacts(heldBy: customer))
        requireParked(under: newSubjects(of: customer))
        let places = parkedPlaces(heldBy: customer).elements(after: place.number, limit: limit)
        return VaultPage(rows.park, at: Array(places), limit: limit)
    }

    /// Returns the places of the parked facts whose chain or token belongs to a customer, in order.
    func parkedPlaces(heldBy customer: CustomerID) -> [Int64] {
        guard !rows.parkPlaces.isEmpty else { return [] }
        var places = parkedPlaces(
            under: rows.bindings.rows(at: rows.customerBindings[customer].all).lazy.map(\.subject))
        if let token = accountTokens.token(naming: customer), rows.holders[.token(token)] == nil {
            places.formUnion(rows.parkedTokens[token].all)
        }
        return places.sorted()
    }

    /// Returns the first page of the parked facts of chains and tokens.
    package func parked(under subjects: [BindingSubject], limit: Int) throws(VaultError) -> VaultPage<ParkedFact> {
        requireParked(under: subjects)
        guard !rows.parkPlaces.isEmpty else { return VaultPage() }
        let places = parkedPlaces(under: subjects).sorted().prefix(max(0, limit))
        return VaultPage(rows.park, at: Array(places), limit: limit)
    }

    private func requireParked(under subjects: [BindingSubject]) {
        guard log != nil else { return }
        for subject in subjects {
            switch subject {
            case .chain(let chain):
                requireRows(.parkedChain(of: chain))
                requireRows(.parkedInfos(of: RenewalInfoKey(chain)))
                requireRows(.parkedSuccessors(of: chain))
            case .token(let token): requireRows(.parkedToken(token))
            }
        }
    }

    private func parkedPlaces(under subjects: some Sequence<BindingSubject>) -> Set<Int64> {
        var places: Set<Int64> = []
        for subject in subjects {
            switch subject {
            case .chain(let chain):
                places.formUnion(rows.parkedChains[chain].all)
                places.formUnion(rows.parkedRenewals[RenewalInfoKey(chain)].all)
                places.formUnion(rows.parkedSuccessors[chain].all)
            case .token(let token): places.formUnion(rows.parkedTokens[token].all)
            }
        }
        return places
    }

    /// Returns a page of the parked transactions and app transactions of a chain.
    package func parked(
        of chain: ChainID, after place: FeedPlace, limit: Int
    ) throws(VaultError) -> VaultPage<ParkedFact> {
        requireRows(.parkedChain(of: chain))
        let places = rows.parkedChains[chain].elements(after: place.number, limit: limit)
        return VaultPage(rows.park, at: places, limit: limit)
    }

    /// Returns the first parked facts that were presented for a customer and belong to another customer.
    package func parked(broughtBy claimant: CustomerID, limit: Int) throws(VaultError) -> [ParkedFact] {
        requireRows(.parkedClaims(by: claimant))
        let places = rows.parkOrder.elements(after: 0, limit: .max)
        return Array(rows.park.rows(at: places).lazy.filter { $0.claimant == claimant }.prefix(max(0, limit)))
    }

    /// Removes the name of a customer from the parked facts that were presented for the customer.
    package mutating func forgetClaimant(_ claimant: CustomerID) throws(VaultError) {
        requireRows(.parkedClaims(by: claimant))
        record(.forgottenClaimant(claimant))
        for place in rows.parkOrder.elements(after: 0, limit: .max) {
            guard let parked = rows.park[place], parked.claimant == claimant else { continue }
            set(
                ParkedFact(since: parked.since, reason: parked.reason, fact: parked.fact), at: place, in: \.park)
        }
    }

    /// Removes the parked fact with the same payload, if any.
    package mutating func unpark(_ fact: VerifiedFact) throws(VaultError) {
        guard !rows.parkPlaces.isEmpty || log != nil else { return }
        let payload = PayloadKey(fact)
        guard let place = rows.parkPlaces[payload] else { return requireRows(.parkedFact(payload: payload)) }
        record(.unparked(fact))
        set(nil, at: place, in: \.park)
        remove(place, from: \.parkOrder)
        set(nil, at: payload, in: \.parkPlaces)
        if let chain = fact.chain {
            remove(place, under: chain, in: \.parkedChains)
        } else if let purchase = fact.purchase {
            remove(place, under: purchase, in: \.parkedRenewals)
        }
        if let token = fact.appAccountToken { remove(place, under: token, in: \.parkedTokens) }
        if let predecessor = fact.predecessor { remove(place, under: predecessor, in: \.parkedSuccessors) }
    }
}

extension VerifiedFact {
    /// The `appAccountToken` in the fact.
    package var appAccountToken: UUID? {
        switch content {
        case .transaction(let transaction): transaction.appAccountToken
        case .renewalInfo(let info): info.appAccountToken
        case .notification, .appTransaction: nil
        }
    }

    /// The chain that the fact's chain replaces, if the fact contains no token, which would decide before it.
    package var predecessor: ChainID? {
        guard let transaction, transaction.appAccountToken == nil else { return nil }
        return transaction.predecessor
    }
}
