extension MemoryTables {
    /// Inserts a delivery for a transaction, unless the transaction has a delivery.
    package mutating func addOutstandingDelivery(_ item: OutboxItem) throws(VaultError) -> Bool {
        requireRows(.delivery(of: item.key))
        guard rows.deliveryPlaces[item.key] == nil else { return false }
        let (row, place) = (DeliveryRow(key: item.key, customer: item.customer, state: item.state), nextSequence())
        store(row, at: place)
        record(.delivery(row, place: place))
        return true
    }

    /// Stores a delivery, and adds it to the index.
    mutating func store(_ delivery: DeliveryRow, at place: Int64) {
        set(delivery, at: place, in: \.deliveries)
        set(place, at: delivery.key, in: \.deliveryPlaces)
        insert(place, under: delivery.customer, in: \.customerDeliveries)
    }

    /// Returns the outstanding deliveries and `finish` calls of a customer.
    package func unfinished(of customer: CustomerID) throws(VaultError) -> [OutboxItem] {
        requireRows(.unfinished(of: customer))
        return rows.deliveries.rows(at: rows.customerDeliveries[customer].all).compactMap { delivery in
            delivery.state.map { OutboxItem(key: delivery.key, customer: delivery.customer, state: $0) }
        }
    }

    /// Returns the customers with an outstanding delivery or `finish` call, in order of id.
    package func customersOwed(after previous: CustomerID?, limit: Int) throws(VaultError) -> [CustomerID] {
        if case .customers(let owed)? = listed(.customersOwed(after: previous, limit: limit)) { return owed }
        try checkLists("deliveries")
        var owed: [CustomerID] = []
        var last = previous
        while owed.count < limit {
            let page = try customers(after: last, limit: 256)
            guard let end = page.last else { break }
            for customer in page where owed.count < limit && hasOutstandingDeliveries(customer) {
                owed.append(customer)
            }
            last = end
        }
        return owed
    }

    private func hasOutstandingDeliveries(_ customer: CustomerID) -> Bool {
        rows.customerDeliveries[customer].all.contains { rows.deliveries[$0]?.state != nil }
    }

    /// Changes the state of a delivery; has no effect if the delivery does not exist.
    package mutating func markDelivery(of key: TransactionKey, as state: OutboxItem.State?) throws(VaultError) {
        guard let place = rows.deliveryPlaces[key], var delivery = rows.deliveries[place] else {
            return requireRows(.delivery(of: key))
        }
        guard delivery.state != state else { return }
        delivery.state = state
        set(delivery, at: place, in: \.deliveries)
        record(.deliveryState(delivery))
    }

    /// Returns whether a step was written.
    package func isWritten(_ step: StepID) throws(VaultError) -> Bool {
        requireRows(.step(step))
        return rows.steps[step] != nil
    }

    /// Records a step as written.
    package mutating func insert(
        step: StepID, at instant: Instant, forgettingBefore limit: Instant
    ) throws(VaultError) {
        record(.step(step, at: instant, forgettingBefore: limit))
        // A remote storage deletes its oldest step ids itself, because only the storage has all step ids.
        for _ in 0..<(log == nil ? 2 : 0) {
            guard let oldest = rows.stepsByAge.first, oldest.at < limit else { break }
            setStep(oldest.id, to: nil)
        }
        setStep(step, to: instant)
    }

    private mutating func setStep(_ step: StepID, to instant: Instant?) {
        if let known = set(instant, at: step, in: \.steps) { remove(.init(at: known, id: step), from: \.stepsByAge) }
        if let instant { insert(.init(at: instant, id: step), into: \.stepsByAge) }
    }
}
