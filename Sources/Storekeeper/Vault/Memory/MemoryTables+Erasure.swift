extension MemoryTables {
    /// Removes the parked fact with the same payload.
    package mutating func removeParked(_ fact: VerifiedFact) throws(VaultError) { try unpark(fact) }

    /// Deletes the facts of a chain.
    package mutating func removeFacts(of chain: ChainID) throws(VaultError) -> Int {
        if !isLoadedWhole(chain) { requireRows(.chainFacts(of: chain)) }
        set(nil, at: chain, in: \.tokens)
        record(.removedFacts(of: chain))
        return removeFacts(at: rows.chainFacts[chain].all)
    }

    /// Returns whether all facts of a chain were loaded together with the other facts of the chain's owner.
    private func isLoadedWhole(_ chain: ChainID) -> Bool {
        guard log != nil, let binding = binding(of: .chain(chain)), binding.place.number < Self.firstPlace else {
            return false
        }
        return isLoaded(.facts(of: binding.customer))
    }

    /// Deletes the evidence other than transactions of an environment and original transaction.
    package mutating func removeRenewalInfos(
        environment: AppStore.Environment, originalID: Transaction.ID
    ) throws(VaultError) -> Int {
        let purchase = RenewalInfoKey(environment: environment, originalID: originalID)
        if log != nil,
            !registeredChains[originalID, default: []].contains(where: {
                RenewalInfoKey($0) == purchase && isLoadedWhole($0)
            })
        {
            requireRows(.renewalInfos(of: purchase))
        }
        record(.removedRenewalInfos(of: purchase))
        return removeFacts(at: rows.renewalFacts[purchase].all)
    }

    @discardableResult
    mutating func removeFacts(at places: [Int64]) -> Int {
        for place in places.reversed() {
            guard let row = set(nil, at: place, in: \.facts) else { continue }
            remove(place, from: \.factOrder)
            set(nil, at: PayloadKey(row.fact), in: \.factPlaces)
            if let transaction = row.fact.transaction {
                remove(place, under: ChainID(transaction), in: \.chainFacts)
                remove(place, under: TransactionKey(transaction), in: \.copies)
            }
            if let purchase = row.fact.purchase { remove(place, under: purchase, in: \.renewalFacts) }
        }
        return places.count
    }

    /// Deletes the binding of a chain or token.
    package mutating func unbind(_ subject: BindingSubject) throws(VaultError) {
        if log != nil, case .chain(let chain) = subject { set(true, at: chain, in: \.forgottenChains) }
        record(.unbound(subject))
        removeBinding(of: subject)
    }

    /// Deletes the binding of a chain or token, if there is one.
    mutating func removeBinding(of subject: BindingSubject) {
        guard let binding = binding(of: subject) else { return }
        let place = binding.place.number
        set(nil, at: place, in: \.bindings)
        set(nil, at: subject, in: \.holders)
        remove(place, under: binding.customer, in: \.customerBindings)
    }

    /// Deletes the number of attempts of other customers to present a chain or token.
    package mutating func removeAttempts(on subject: BindingSubject) throws(VaultError) {
        if rows.attempts[subject] != nil { set(nil, at: subject, in: \.attempts) }
        record(.removedAttempts(on: subject))
    }

    /// Deletes the deliveries of a customer's transactions, finished or not.
    package mutating func removeDeliveries(of customer: CustomerID) throws(VaultError) {
        for place in rows.customerDeliveries[customer].all.reversed() {
            if let delivery = set(nil, at: place, in: \.deliveries) {
                set(nil, at: delivery.key, in: \.deliveryPlaces)
            }
            remove(place, under: customer, in: \.customerDeliveries)
        }
        record(.removedDeliveries(of: customer))
    }

    /// Deletes the entries and the row of a customer, and records the erasure.
    package mutating func closeErasure(
        of customer: CustomerID, facts: Int, reason: String, at instant: Instant
    ) throws(VaultError) -> Erasure {
        requireRows(.customer(customer))
        requireRows(.rows(LedgerEntry.ofCustomer, customer))
        let erasure = eraseAccount(of: customer, facts: facts, reason: reason, at: instant, place: nextSequence())
        record(
            .erasure(
                ErasureDraft(
                    place: erasure.place.number, customer: customer, at: instant, reason: reason, facts: facts,
                    entries: erasure.entries)))
        return erasure
    }

    /// Deletes the entries and the row of a customer, and records the erasure at a given place in the feed.
    ///
    /// The proof names the place of the erasure and the numbers of deleted facts and entries. The proof contains the
    /// customer's id, so that ``erasures(of:)`` finds the proof. The id is lost when the process ends, because this
    /// vault is only in memory.
    mutating func eraseAccount(
        of customer: CustomerID, facts: Int, reason: String, at instant: Instant, place sequence: Int64
    ) -> Erasure {
        let entries = removeRows(RowQuestion(LedgerEntry.ofCustomer, customer))
        set(nil, at: customer, in: \.accountEnds)
        if let row = rows.customers[customer] { raiseVersionFloor(to: row.version &+ 1) }
        setRow(nil, of: customer)
        let erasure = Erasure(
            place: FeedPlace(sequence), at: instant, reason: reason, facts: facts, entries: entries,
            proof: "erasure-\(sequence)-\(facts)-facts-\(entries)-entries-\(instant.millisecondsSince1970)")
        set((rows.erasures[customer] ?? []) + [erasure], at: customer, in: \.erasures)
        return erasure
    }

    /// Returns the erasures of a customer.
    package func erasures(of customer: CustomerID) throws(VaultError) -> [Erasure] {
        if case .erasures(let erasures)? = listed(.erasures(of: customer)) { return erasures }
        try checkLists("erasures")
        return rows.erasures[customer] ?? []
    }
}

extension MemoryTables {
    /// Stores marks of erased customers.
    ///
    /// A vault in memory does not hash its marks. It stores the hashed marks of another vault only so that a later copy
    /// can transfer them; a hashed mark never matches in ``isMarked(_:)``.
    package mutating func insertMarks(_ marks: ErasedMarks) throws(VaultError) {
        for mark in marks.plain { set(true, at: mark, in: \.marks) }
        for group in marks.hashed {
            var known = rows.hashedMarks[group.secret] ?? []
            known.formUnion(group.digests)
            set(known, at: group.secret, in: \.hashedMarks)
        }
        record(.marks(marks))
    }

    /// Returns whether a mark of an erased customer is stored.
    package func isMarked(_ mark: ErasedMark) throws(VaultError) -> Bool {
        if rows.marks[mark] != nil { return true }
        requireRows(.mark(mark))
        return false
    }

    /// All marks.
    var allMarks: ErasedMarks {
        ErasedMarks(
            plain: Array(rows.marks.keys),
            hashed: rows.hashedMarks.map { ErasedMarks.Hashed(secret: $0, digests: Array($1)) })
    }
}
