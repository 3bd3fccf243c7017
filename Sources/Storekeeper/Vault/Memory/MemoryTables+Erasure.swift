import FoundationEssentials

extension MemoryTables {
    /// Takes out all of a customer.
    ///
    /// The proof names the place of the erasure and what it took. The id itself is kept beside it, so that
    /// ``erasures(of:)`` can find it; this memory ends with the process.
    package mutating func erase(
        _ customer: CustomerID, reason: String, at instant: Instant
    ) throws(VaultError) -> Erasure {
        let facts = eraseFacts(of: customer)
        for place in parkedPlaces(heldBy: customer) where !isOfOther(parkedAt: place, than: customer) {
            unpark(at: place)
        }
        let entries = eraseShelf(of: customer)
        let sequence = nextSequence()
        let erasure = Erasure(
            place: FeedPlace(sequence), at: instant, reason: reason, facts: facts, entries: entries,
            proof: "erasure-\(sequence)-\(facts)-facts-\(entries)-entries-\(instant.millisecondsSince1970)")
        erasures[customer, default: []].append(erasure)
        note { tables in tables.erasures[customer]?.removeLast() }
        return erasure
    }

    /// The erasures of a customer.
    package func erasures(of customer: CustomerID) throws(VaultError) -> [Erasure] { erasures[customer] ?? [] }

    /// Takes out the facts of a customer's chains, but for renewal infos that another's chain shares.
    private mutating func eraseFacts(of customer: CustomerID) -> Int {
        let places = factPlaces(of: customer).filter { place in
            guard let info = facts[place]?.fact.renewalInfo else { return true }
            return sharers(of: RenewalInfoKey(info)) == [customer]
        }
        for place in places {
            guard let row = facts.take(place) else { continue }
            let token = row.fact.transaction.flatMap { tokens[ChainID($0)] }
            // All facts of a chain go, so that no token of it is left.
            unlist(row, token: nil)
            note { tables in
                tables.list(row)
                if let transaction = row.fact.transaction { tables.tokens[ChainID(transaction)] = token }
                tables.facts.putBack(row, at: place)
            }
        }
        return places.count
    }

    private func sharers(of key: RenewalInfoKey) -> Set<CustomerID> {
        Set(
            heard[key.originalID, default: []].filter { $0.environment == key.environment }
                .compactMap { holders[.chain($0)]?.customer })
    }

    /// Whether what is parked is of a chain that belongs to somebody else.
    private func isOfOther(parkedAt place: Int64, than customer: CustomerID) -> Bool {
        guard let fact = park[place]?.fact else { return false }
        switch fact.content {
        case .transaction(let transaction):
            return holders[.chain(ChainID(transaction))].map { $0.customer != customer } ?? false
        case .renewalInfo(let info):
            return !sharers(of: RenewalInfoKey(info)).subtracting([customer]).isEmpty
        }
    }

    private mutating func eraseShelf(of customer: CustomerID) -> Int {
        guard let rows = customers[customer] else { return 0 }
        place(nil, of: customer, insteadOf: rows.row)
        customers[customer] = nil
        note { tables in
            tables.place(rows.row, of: customer, insteadOf: nil)
            tables.customers[customer] = rows
        }
        for binding in rows.bindings {
            holders[binding.subject] = nil
            let count = attempts.removeValue(forKey: binding.subject)
            note { tables in
                tables.holders[binding.subject] = binding
                tables.attempts[binding.subject] = count
            }
        }
        for place in rows.entries { eraseEntry(at: place) }
        for place in rows.events {
            guard let event = events.take(place) else { continue }
            note { tables in tables.events.putBack(event, at: place) }
        }
        for place in rows.deliveries {
            guard let delivery = deliveries.take(place) else { continue }
            deliveryPlaces[delivery.key] = nil
            openDeliveries.remove(place)
            note { tables in
                tables.deliveries.putBack(delivery, at: place)
                tables.deliveryPlaces[delivery.key] = place
                if delivery.state != nil { tables.openDeliveries.insert(place) }
            }
        }
        return rows.entries.count
    }

    private mutating func eraseEntry(at place: Int64) {
        guard let entry = entries.take(place) else { return }
        if case .transaction(let key, _, _) = entry.cause { causes.remove(place, under: key) }
        note { tables in
            tables.entries.putBack(entry, at: place)
            if case .transaction(let key, _, _) = entry.cause { tables.causes.insert(place, under: key) }
        }
    }
}
