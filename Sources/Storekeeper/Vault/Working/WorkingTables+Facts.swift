import FoundationEssentials

extension WorkingTables {
    package mutating func insert(_ fact: VerifiedFact, learnedAt: Instant) throws(VaultError) -> FeedPlace? {
        needFact(fact)
        guard let place = try rows.insert(fact, learnedAt: learnedAt) else { return nil }
        let holder = fact.transaction.flatMap { rows.binding(of: .chain(ChainID($0)))?.customer }
        record(.fact(StoredFact(place: place, customer: holder, learnedAt: learnedAt, fact: fact)))
        return place
    }

    /// Whether a fact is there is known with all copies of its transaction, or alone where it is a renewal info.
    private func needFact(_ fact: VerifiedFact) {
        switch fact.content {
        case .transaction(let transaction): need(.copies(of: TransactionKey(transaction)))
        case .renewalInfo(let info): need(.renewalInfo(of: RenewalInfoKey(info), payload: PayloadKey(fact)))
        }
    }

    package func facts(
        after place: FeedPlace, of customer: CustomerID?, limit: Int
    ) throws(VaultError) -> [StoredFact] {
        if case .facts(let facts)? = rows(of: .facts(after: place, of: customer, limit: limit)) { return facts }
        guard let customer else { throw noList(of: "facts") }
        need(.facts(of: customer))
        // What was nobody's may have facts, too: renewal infos, and what was learned without an owner.
        for case .chain(let chain) in newSubjects(of: customer) {
            need(.chainFacts(of: chain))
            need(.renewalInfos(of: RenewalInfoKey(chain)))
        }
        return try rows.facts(after: place, of: customer, limit: limit)
    }

    /// What has become a customer's in this value.
    func newSubjects(of customer: CustomerID) -> [BindingSubject] {
        rows.bindings.rows(at: rows.customerBindings[customer], after: FeedPlace(Self.firstPlace - 1)).map(\.subject)
    }

    package func copies(of key: TransactionKey) throws(VaultError) -> [Transaction] {
        need(.copies(of: key))
        return try rows.copies(of: key)
    }

    // MARK: Parked evidence

    package mutating func park(_ fact: ParkedFact, claimant: CustomerID?) throws(VaultError) -> Bool {
        need(.parkedFact(payload: PayloadKey(fact.fact)))
        if let transaction = fact.fact.transaction {
            // What is noted of its chain and its token changes with it.
            needHolder(of: .chain(ChainID(transaction)))
            if let token = transaction.appAccountToken { needHolder(of: .token(token)) }
        }
        guard try rows.park(fact, claimant: claimant) else { return false }
        if let place = rows.parkPlaces[PayloadKey(fact.fact)] {
            record(.parked(fact, place: place, claimant: claimant))
        }
        return true
    }

    package func parked(after place: FeedPlace, limit: Int) throws(VaultError) -> VaultPage<ParkedFact> {
        guard case .parked(let page)? = rows(of: .parked(after: place, limit: limit)) else {
            throw noList(of: "parked evidence")
        }
        return page
    }

    package func parked(
        heldBy customer: CustomerID, after place: FeedPlace, limit: Int
    ) throws(VaultError) -> VaultPage<ParkedFact> {
        if case .parked(let page)? = rows(of: .parkedFor(customer, after: place, limit: limit)) { return page }
        need(.parkedFacts(heldBy: customer))
        needParked(under: newSubjects(of: customer))
        return try rows.parked(heldBy: customer, after: place, limit: limit)
    }

    package func parked(under subjects: [BindingSubject], limit: Int) throws(VaultError) -> VaultPage<ParkedFact> {
        needParked(under: subjects)
        return try rows.parked(under: subjects, limit: limit)
    }

    private func needParked(under subjects: [BindingSubject]) {
        for subject in subjects {
            switch subject {
            case .chain(let chain):
                need(.parkedChain(of: chain))
                need(.parkedInfos(of: RenewalInfoKey(chain)))
            case .token(let token): need(.parkedToken(token))
            }
        }
    }

    package func parked(
        of chain: ChainID, after place: FeedPlace, limit: Int
    ) throws(VaultError) -> VaultPage<ParkedFact> {
        need(.parkedChain(of: chain))
        return try rows.parked(of: chain, after: place, limit: limit)
    }

    package mutating func unpark(_ fact: VerifiedFact) throws(VaultError) {
        if rows.parkPlaces[PayloadKey(fact)] == nil {
            need(.parkedFact(payload: PayloadKey(fact)))
        } else {
            try rows.unpark(fact)
            record(.unparked(fact))
        }
    }
}
