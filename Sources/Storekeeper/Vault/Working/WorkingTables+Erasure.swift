import FoundationEssentials

extension WorkingTables {
    package mutating func removeParked(_ fact: VerifiedFact) throws(VaultError) { try unpark(fact) }

    package mutating func removeFacts(of chain: ChainID) throws(VaultError) -> Int {
        if !isLoadedWhole(chain) { need(.chainFacts(of: chain)) }
        let count = try rows.removeFacts(of: chain)
        record(.removedFacts(of: chain))
        return count
    }

    package mutating func removeRenewalInfos(
        environment: AppStore.Environment, originalID: Transaction.ID
    ) throws(VaultError) -> Int {
        let purchase = RenewalInfoKey(environment: environment, originalID: originalID)
        let chains = (rows.heard[originalID] ?? []).filter { RenewalInfoKey($0) == purchase }
        if !chains.contains(where: isLoadedWhole) { need(.renewalInfos(of: purchase)) }
        let count = try rows.removeRenewalInfos(environment: environment, originalID: originalID)
        record(.removedRenewalInfos(of: purchase))
        return count
    }

    /// Whether the facts of a chain were loaded with all others of its customer.
    private func isLoadedWhole(_ chain: ChainID) -> Bool {
        guard let binding = rows.binding(of: .chain(chain)), !isNew(at: binding.place.number) else { return false }
        return loaded.contains(.facts(of: binding.customer))
    }

    package mutating func unbind(_ subject: BindingSubject) throws(VaultError) {
        try rows.unbind(subject)
        if case .chain(let chain) = subject { forget(chain) }
        record(.unbound(subject))
    }

    package mutating func removeAttempts(on subject: BindingSubject) throws(VaultError) {
        try rows.removeAttempts(on: subject)
        record(.removedAttempts(on: subject))
    }

    package mutating func removeDeliveries(of customer: CustomerID) throws(VaultError) {
        try rows.removeDeliveries(of: customer)
        record(.removedDeliveries(of: customer))
    }

    package mutating func removeEvents(of customer: CustomerID) throws(VaultError) {
        try rows.removeEvents(of: customer)
        record(.removedEvents(of: customer))
    }

    package mutating func removeBalances(of customer: CustomerID) throws(VaultError) {
        try rows.removeBalances(of: customer)
        record(.removedBalances(of: customer))
    }

    package mutating func closeErasure(
        of customer: CustomerID, facts: Int, reason: String, at instant: Instant
    ) throws(VaultError) -> Erasure {
        need(.customer(customer))
        need(.account(of: customer))
        let erasure = try rows.closeErasure(of: customer, facts: facts, reason: reason, at: instant)
        setLastEntry(.none, of: customer)
        record(
            .erasure(
                ErasureDraft(
                    place: erasure.place.number, customer: customer, at: instant, reason: reason, facts: facts,
                    entries: erasure.entries)))
        return erasure
    }

    package func erasures(of customer: CustomerID) throws(VaultError) -> [Erasure] {
        guard case .erasures(let erasures)? = rows(of: .erasures(of: customer)) else { throw noList(of: "erasures") }
        return erasures
    }
}
