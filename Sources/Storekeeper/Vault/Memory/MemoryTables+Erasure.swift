extension MemoryTables {
    /// Removes a fact with the same payload from the park.
    package mutating func removeParked(_ fact: VerifiedFact) throws(VaultError) { try unpark(fact) }

    /// Deletes the facts of a chain.
    package mutating func removeFacts(of chain: ChainID) throws(VaultError) -> Int {
        if !isLoadedWhole(chain) { requireRows(.chainFacts(of: chain)) }
        tokens[chain] = nil
        record(.removedFacts(of: chain))
        return removeFacts(at: chainFacts[chain])
    }

    /// Whether the facts of a chain were loaded with all others of its customer.
    private func isLoadedWhole(_ chain: ChainID) -> Bool {
        guard log != nil, let binding = binding(of: .chain(chain)), binding.place.number < Self.firstPlace else {
            return false
        }
        return isLoaded(.facts(of: binding.customer))
    }

    /// Deletes the renewal infos of an environment and original transaction.
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
        return removeFacts(at: renewalFacts[purchase])
    }

    private mutating func removeFacts(at places: [Int64]) -> Int {
        for place in places.reversed() {
            guard let row = facts[place] else { continue }
            facts.remove(place)
            factPlaces[PayloadKey(row.fact)] = nil
            switch row.fact.content {
            case .transaction(let transaction):
                chainFacts.remove(place, under: ChainID(transaction))
                copies.remove(place, under: TransactionKey(transaction))
            case .renewalInfo(let info): renewalFacts.remove(place, under: RenewalInfoKey(info))
            }
        }
        return places.count
    }

    /// Deletes the binding of a chain or token.
    package mutating func unbind(_ subject: BindingSubject) throws(VaultError) {
        if case .chain(let chain) = subject { log?.forgottenChains[chain] = true }
        record(.unbound(subject))
        guard let binding = binding(of: subject) else { return }
        let place = binding.place.number
        bindings.remove(place)
        holders[subject] = nil
        customerBindings.remove(place, under: binding.customer)
    }

    /// Deletes the count of attempts on a chain or token.
    package mutating func removeAttempts(on subject: BindingSubject) throws(VaultError) {
        if attempts[subject] != nil { attempts[subject] = nil }
        record(.removedAttempts(on: subject))
    }

    /// Deletes the deliveries of a customer's transactions, finished or not.
    package mutating func removeDeliveries(of customer: CustomerID) throws(VaultError) {
        for place in customerDeliveries[customer].reversed() {
            if let delivery = deliveries[place] { deliveryPlaces[delivery.key] = nil }
            deliveries.remove(place)
            customerDeliveries.remove(place, under: customer)
        }
        record(.removedDeliveries(of: customer))
    }

    /// Deletes the events about a customer.
    package mutating func removeEvents(of customer: CustomerID) throws(VaultError) {
        for place in customerEvents[customer].reversed() {
            events.remove(place)
            customerEvents.remove(place, under: customer)
        }
        record(.removedEvents(of: customer))
    }

    /// Deletes the balances of a customer.
    package mutating func removeBalances(of customer: CustomerID) throws(VaultError) {
        for name in balanceNames[customer].reversed() {
            balances[BalanceKey(customer: customer, name: name)] = nil
            balanceNames.remove(name, under: customer)
        }
        record(.removedBalances(of: customer))
    }

    /// Deletes the entries and the row of a customer, and records the erasure.
    package mutating func closeErasure(
        of customer: CustomerID, facts: Int, reason: String, at instant: Instant
    ) throws(VaultError) -> Erasure {
        requireRows(.customer(customer))
        requireRows(.account(of: customer))
        let erasure = eraseAccount(of: customer, facts: facts, reason: reason, at: instant, place: nextSequence())
        log?.lastEntries[customer] = AccountEnd.none
        record(
            .erasure(
                ErasureDraft(
                    place: erasure.place.number, customer: customer, at: instant, reason: reason, facts: facts,
                    entries: erasure.entries)))
        return erasure
    }

    /// Deletes the entries and the row of a customer, and records the erasure at a place.
    ///
    /// The proof names the place of the erasure and what it deleted. The id itself is stored with it, so that
    /// ``erasures(of:)`` finds it; this memory ends with the process.
    mutating func eraseAccount(
        of customer: CustomerID, facts: Int, reason: String, at instant: Instant, place sequence: Int64
    ) -> Erasure {
        let places = customerEntries[customer]
        for place in places.reversed() {
            guard let entry = entries[place] else { continue }
            entries.remove(place)
            customerEntries.remove(place, under: customer)
            switch entry.cause {
            case .transaction(let key, _, _): causes.remove(place, under: key)
            case .request(let key, _): requests[RequestKey(customer: customer, key: key)] = nil
            }
        }
        setRow(nil, of: customer)
        let erasure = Erasure(
            place: FeedPlace(sequence), at: instant, reason: reason, facts: facts, entries: places.count,
            proof: "erasure-\(sequence)-\(facts)-facts-\(places.count)-entries-\(instant.millisecondsSince1970)")
        erasures[customer] = (erasures[customer] ?? []) + [erasure]
        return erasure
    }

    /// Returns the erasures of a customer.
    package func erasures(of customer: CustomerID) throws(VaultError) -> [Erasure] {
        if case .erasures(let erasures)? = listed(.erasures(of: customer)) { return erasures }
        try checkLists("erasures")
        return erasures[customer] ?? []
    }
}
