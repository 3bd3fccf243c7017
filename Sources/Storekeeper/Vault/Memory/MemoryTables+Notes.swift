extension MemoryTables {
    /// Adds an event.
    package mutating func append(
        _ change: StoreEvent.Draft, about customer: CustomerID
    ) throws(VaultError) -> StoreEvent {
        let event = StoreEvent(place: FeedPlace(nextSequence()), customer: customer, change: change)
        events.append(event, at: event.place.number)
        customers[customer, default: CustomerRows()].events.append(event.place.number)
        note { tables in
            tables.customers[customer]?.events.removeLast()
            tables.events.removeLast(event.place.number)
        }
        return event
    }

    /// The events after a place, of a customer or of all.
    package func events(
        after place: FeedPlace, of customer: CustomerID?, limit: Int
    ) throws(VaultError) -> [StoreEvent] {
        guard let customer else { return events.rows(after: place, limit: limit) }
        return events.rows(at: customers[customer]?.events ?? [], after: place, limit: limit)
    }

    /// Owes a transaction a delivery, unless it is noted already.
    package mutating func owe(_ item: OutboxItem) throws(VaultError) -> Bool {
        guard deliveryPlaces[item.key] == nil else { return false }
        let place = nextSequence()
        deliveries.append(MemoryDelivery(key: item.key, customer: item.customer, state: item.state), at: place)
        deliveryPlaces[item.key] = place
        openDeliveries.insert(place)
        customers[item.customer, default: CustomerRows()].deliveries.append(place)
        note { tables in
            tables.customers[item.customer]?.deliveries.removeLast()
            tables.openDeliveries.remove(place)
            tables.deliveryPlaces[item.key] = nil
            tables.deliveries.removeLast(place)
        }
        return true
    }

    /// What a customer is owed, a delivery or a `finish`.
    package func unfinished(of customer: CustomerID) throws(VaultError) -> [OutboxItem] {
        (customers[customer]?.deliveries ?? []).compactMap { place in
            deliveries[place].flatMap { delivery in
                delivery.state.map { OutboxItem(key: delivery.key, customer: delivery.customer, state: $0) }
            }
        }
    }

    /// The customers who are owed a delivery or a `finish`, in order of id.
    package func customersOwed(after previous: CustomerID?, limit: Int) throws(VaultError) -> [CustomerID] {
        var owed: [CustomerID] = []
        var last = previous
        while owed.count < limit {
            let page = try customers(after: last, limit: 256)
            guard let end = page.last else { break }
            for customer in page where owed.count < limit && !openDeliveries(of: customer).isEmpty {
                owed.append(customer)
            }
            last = end
        }
        return owed
    }

    private func openDeliveries(of customer: CustomerID) -> some Collection<Int64> {
        (customers[customer]?.deliveries ?? []).lazy.filter { deliveries[$0]?.state != nil }
    }

    /// Notes how far a transaction has come; one that was never owed anything is left alone.
    package mutating func settle(_ key: TransactionKey, as state: OutboxItem.State?) throws(VaultError) {
        guard let place = deliveryPlaces[key], let known = deliveries[place] else { return }
        setState(state, of: known, at: place)
        note { tables in tables.setState(known.state, of: known, at: place) }
    }

    private mutating func setState(_ state: OutboxItem.State?, of delivery: MemoryDelivery, at place: Int64) {
        var delivery = delivery
        delivery.state = state
        deliveries.putBack(delivery, at: place)
        if state == nil { openDeliveries.remove(place) } else { openDeliveries.insert(place) }
    }

    /// The purchases of a customer that wait for approval.
    package func pending(of customer: CustomerID) throws(VaultError) -> [PendingPurchase] {
        customers[customer]?.pending ?? []
    }

    /// Notes a customer's pending purchases in place of what was noted.
    package mutating func setPending(_ pending: [PendingPurchase], of customer: CustomerID) throws(VaultError) {
        let known = customers[customer]?.pending ?? []
        customers[customer, default: CustomerRows()].pending = pending
        note { tables in tables.customers[customer]?.pending = known }
    }

    /// Notes a notification.
    package mutating func insert(notification uuid: String, at instant: Instant) throws(VaultError) -> Bool {
        let uuid = ByteText(uuid)
        guard notifications.insert(uuid).inserted else { return false }
        note { tables in tables.notifications.remove(uuid) }
        return true
    }

    /// Whether a step is noted as written.
    package func isWritten(_ step: StepID) throws(VaultError) -> Bool { steps[step] != nil }

    /// Notes that a step is written.
    package mutating func insert(
        step: StepID, at instant: Instant, forgettingBefore limit: Instant
    ) throws(VaultError) {
        for _ in 0..<2 {
            guard let oldest = stepsByAge.first, oldest.at < limit else { break }
            setStep(oldest.id, from: oldest.at, to: nil)
            note { tables in tables.setStep(oldest.id, from: nil, to: oldest.at) }
        }
        let known = steps[step]
        setStep(step, from: known, to: instant)
        note { tables in tables.setStep(step, from: instant, to: known) }
    }

    private mutating func setStep(_ step: StepID, from known: Instant?, to instant: Instant?) {
        if let known { stepsByAge.remove(WrittenStep(at: known, id: step)) }
        if let instant { stepsByAge.insert(WrittenStep(at: instant, id: step)) }
        steps[step] = instant
    }

    /// How far a backend was read.
    package func cursor(of backend: String) throws(VaultError) -> UpdateCursor? { cursors[ByteText(backend)] }

    /// Notes how far a backend was read.
    package mutating func setCursor(_ cursor: UpdateCursor, of backend: String) throws(VaultError) {
        let backend = ByteText(backend)
        let known = cursors.updateValue(cursor, forKey: backend)
        note { tables in tables.cursors[backend] = known }
    }
}
