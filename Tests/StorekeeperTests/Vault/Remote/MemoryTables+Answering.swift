import FoundationEssentials

@testable import Storekeeper

// These methods answer the questions of a remote vault from tables in memory. Each question is answered separately, and
// only with the requested rows.
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
        case .versionFloor: found.versionFloor = try versionFloor()
        case .bindings(let customer): found.add(try bindings(of: customer))
        case .holder(let subject): found.add(binding(of: subject))
        case .chains(let originalID):
            let chains = try chains(originalID: originalID)
            found.chains.formUnion(chains)
            found.add(chains.compactMap { binding(of: .chain($0)) })
        case .attempts(let subject): found.attempts[subject] = rows.attempts[subject]
        case .token(let chain):
            guard let newest = rows.tokens[chain] else { return }
            found.tokens[chain] = NewestToken(token: newest.token, signedAt: newest.signedAt)
            found.add(binding(of: .token(newest.token)))
        case .renewalInfo(_, let payload): addFacts(at: rows.factPlaces[payload].map { [$0] } ?? [], &found)
        case .facts(let customer):
            found.add(try bindings(of: customer))
            for fact in try facts(after: .start, of: customer, limit: .max) { found.facts[fact.place.number] = fact }
        case .chainFacts(let chain): addFacts(at: rows.chainFacts[chain].all, &found)
        case .renewalInfos(let purchase): addFacts(at: rows.renewalFacts[purchase].all, &found)
        case .copies(let key): addFacts(at: rows.copies[key].all, &found)
        case .parkedFact(payload: let payload): addParked(at: rows.parkPlaces[payload].map { [$0] } ?? [], &found)
        case .parkedFacts(heldBy: let customer): try answerParked(heldBy: customer, &found)
        case .parkedChain(of: let chain): addParked(at: rows.parkedChains[chain].all, &found)
        case .parkedInfos(let purchase): addParked(at: rows.parkedRenewals[purchase].all, &found)
        case .parkedToken(let token): addParked(at: rows.parkedTokens[token].all, &found)
        case .entries(let key): addEntries(at: rows.causes[key].all, &found)
        case .request(let customer, let key):
            addEntries(at: rows.requests[.init(customer: customer, key: key)].map { [$0] } ?? [], &found)
        case .access(let customer): addEntries(at: rows.accessEntries[customer].all, &found)
        case .account(let customer): addEntries(at: rows.customerEntries[customer].all, &found)
        case .balance(let customer, let name):
            found.balances[customer, default: [:]][name] = rows.balances[.init(customer: customer, name: name)]
        case .balances(let customer):
            for balance in try balances(of: customer) {
                found.balances[customer, default: [:]][balance.id] = balance
            }
        case .delivery(let key): addDeliveries(at: rows.deliveryPlaces[key].map { [$0] } ?? [], &found)
        case .unfinished(let customer):
            addDeliveries(
                at: rows.customerDeliveries[customer].all.filter { rows.deliveries[$0]?.state != nil }, &found)
        case .pending(let customer): found.pending[customer] = rows.pending[customer]
        case .notification(let uuid): if rows.notifications[uuid] != nil { found.notifications.insert(uuid) }
        case .step(let step): if rows.steps[step] != nil { found.steps.insert(step) }
        case .cursor(let backend): found.cursors[backend] = rows.cursors[backend]
        case .mark(let mark): if try isMarked(mark) { found.marks.insert(mark) }
        }
    }

    private func answerParked(heldBy customer: CustomerID, _ found: inout LoadedRows) throws(VaultError) {
        for binding in try bindings(of: customer) {
            let places =
                switch binding.subject {
                case .chain(let chain): rows.parkedChains[chain].all + rows.parkedRenewals[RenewalInfoKey(chain)].all
                case .token(let token): rows.parkedTokens[token].all
                }
            if !places.isEmpty { found.add(binding) }
            addParked(at: places, &found)
        }
        guard let token = customer.uuid else { return }
        addParked(at: rows.parkedTokens[token].all, &found)
        found.add(binding(of: .token(token)))
    }

    private func addFacts(at places: [Int64], _ found: inout LoadedRows) {
        for row in rows.facts.rows(at: places) {
            found.facts[row.sequence] = StoredFact(
                place: FeedPlace(row.sequence), customer: nil, learnedAt: row.learnedAt, fact: row.fact)
        }
    }

    private func addParked(at places: [Int64], _ found: inout LoadedRows) {
        for place in places { found.parked[place] = rows.park[place] }
    }

    private func addEntries(at places: [Int64], _ found: inout LoadedRows) {
        for place in places { found.entries[place] = rows.entries[place] }
    }

    private func addDeliveries(at places: [Int64], _ found: inout LoadedRows) {
        for place in places {
            guard let row = rows.deliveries[place] else { continue }
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
