import FoundationEssentials

@testable import Storekeeper

// Tables in memory as a remote storage: each question is answered separately, with only the rows that it asks for.
extension MemoryTables {
    /// Returns the rows for a footprint.
    func answer(_ footprint: Footprint) throws(VaultError) -> LoadedRows {
        var found = LoadedRows()
        for key in footprint.keys { try answer(key, &found) }
        return found
    }

    private func answer(_ key: RowKey, _ found: inout LoadedRows) throws(VaultError) {
        switch key {
        case .customer(let customer):
            found.customers[customer] = LoadedRows.Customer(
                row: try self.customer(customer), lastEntry: try lastEntry(of: customer))
        case .bindings(let customer): found.add(try bindings(of: customer))
        case .holder(let subject): found.add(binding(of: subject))
        case .chains(let originalID):
            let chains = try chains(originalID: originalID)
            found.chains.formUnion(chains)
            found.add(chains.compactMap { binding(of: .chain($0)) })
        case .attempts(let subject): found.attempts[subject] = attempts[subject]
        case .token(let chain):
            guard let newest = tokens[chain] else { return }
            found.tokens[chain] = NewestToken(token: newest.token, signedAt: newest.signedAt)
            found.add(binding(of: .token(newest.token)))
        case .renewalInfo(_, let payload): addFacts(at: factPlaces[payload].map { [$0] } ?? [], &found)
        case .facts(let customer):
            found.add(try bindings(of: customer))
            for fact in try facts(after: .start, of: customer, limit: .max) { found.facts[fact.place.number] = fact }
        case .chainFacts(let chain): addFacts(at: chainFacts[chain], &found)
        case .renewalInfos(let purchase): addFacts(at: renewalFacts[purchase], &found)
        case .copies(let key): addFacts(at: copies[key], &found)
        case .parkedFact(payload: let payload): addParked(at: parkPlaces[payload].map { [$0] } ?? [], &found)
        case .parkedFacts(heldBy: let customer): try answerParked(heldBy: customer, &found)
        case .parkedChain(of: let chain): addParked(at: parkedChains[chain], &found)
        case .parkedInfos(let purchase): addParked(at: parkedRenewals[purchase], &found)
        case .parkedToken(let token): addParked(at: parkedTokens[token], &found)
        case .entries(let key): addEntries(at: causes[key], &found)
        case .request(let customer, let key):
            addEntries(at: requests[RequestKey(customer: customer, key: key)].map { [$0] } ?? [], &found)
        case .account(let customer): addEntries(at: customerEntries[customer], &found)
        case .balance(let customer, let name):
            found.balances[customer, default: [:]][name] = balances[BalanceKey(customer: customer, name: name)]
        case .balances(let customer):
            for balance in try balances(of: customer) {
                found.balances[customer, default: [:]][balance.id] = balance
            }
        case .delivery(let key): addDeliveries(at: deliveryPlaces[key].map { [$0] } ?? [], &found)
        case .unfinished(let customer):
            addDeliveries(at: customerDeliveries[customer].filter { deliveries[$0]?.state != nil }, &found)
        case .pending(let customer): found.pending[customer] = pending[customer]
        case .notification(let uuid): if notifications[uuid] != nil { found.notifications.insert(uuid) }
        case .step(let step): if steps[step] != nil { found.steps.insert(step) }
        case .cursor(let backend): found.cursors[backend] = cursors[backend]
        case .mark(let mark): if try isMarked(mark) { found.marks.insert(mark) }
        }
    }

    private func answerParked(heldBy customer: CustomerID, _ found: inout LoadedRows) throws(VaultError) {
        for binding in try bindings(of: customer) {
            let places =
                switch binding.subject {
                case .chain(let chain): parkedChains[chain] + parkedRenewals[RenewalInfoKey(chain)]
                case .token(let token): parkedTokens[token]
                }
            if !places.isEmpty { found.add(binding) }
            addParked(at: places, &found)
        }
        guard let token = customer.uuid else { return }
        addParked(at: parkedTokens[token], &found)
        found.add(binding(of: .token(token)))
    }

    private func addFacts(at places: [Int64], _ found: inout LoadedRows) {
        for row in facts.rows(at: places) {
            found.facts[row.sequence] = StoredFact(
                place: FeedPlace(row.sequence), customer: nil, learnedAt: row.learnedAt, fact: row.fact)
        }
    }

    private func addParked(at places: [Int64], _ found: inout LoadedRows) {
        for place in places { found.parked[place] = park[place] }
    }

    private func addEntries(at places: [Int64], _ found: inout LoadedRows) {
        for place in places { found.entries[place] = entries[place] }
    }

    private func addDeliveries(at places: [Int64], _ found: inout LoadedRows) {
        for place in places {
            guard let row = deliveries[place] else { continue }
            found.deliveries[place] = DeliveryRow(key: row.key, customer: row.customer, state: row.state)
        }
    }
}

extension LoadedRows {
    fileprivate mutating func add(_ binding: Binding?) {
        if let binding { bindings[binding.place.number] = binding }
    }

    fileprivate mutating func add(_ bindings: [Binding]) { for binding in bindings { add(binding) } }
}
