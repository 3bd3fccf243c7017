extension MemoryTables {
    /// Appends an event.
    package mutating func append(
        _ change: StoreEvent.Change, about customer: CustomerID
    ) throws(VaultError) -> StoreEvent {
        let event = StoreEvent(place: FeedPlace(nextSequence()), customer: customer, change: change)
        store(event)
        record(.event(event))
        return event
    }

    /// Stores an event with its index.
    mutating func store(_ event: StoreEvent) {
        events.append(event, at: event.place.number)
        customerEvents.insert(event.place.number, under: event.customer)
    }

    /// Returns the events after a place, of one customer or of all.
    package func events(
        after place: FeedPlace, of customer: CustomerID?, limit: Int
    ) throws(VaultError) -> [StoreEvent] {
        if case .events(let events)? = listed(.events(after: place, of: customer, limit: limit)) { return events }
        try checkLists("events")
        guard let customer else { return events.rows(after: place, limit: limit) }
        return events.rows(at: customerEvents[customer], after: place, limit: limit)
    }

    /// Inserts a delivery for a transaction, unless there is one.
    package mutating func addOutstandingDelivery(_ item: OutboxItem) throws(VaultError) -> Bool {
        requireRows(.delivery(of: item.key))
        guard deliveryPlaces[item.key] == nil else { return false }
        let (row, place) = (DeliveryRow(key: item.key, customer: item.customer, state: item.state), nextSequence())
        store(row, at: place)
        record(.delivery(row, place: place))
        return true
    }

    /// Stores a delivery with its index.
    mutating func store(_ delivery: DeliveryRow, at place: Int64) {
        deliveries.append(delivery, at: place)
        deliveryPlaces[delivery.key] = place
        customerDeliveries.insert(place, under: delivery.customer)
    }

    /// Returns the outstanding deliveries and finishes of a customer.
    package func unfinished(of customer: CustomerID) throws(VaultError) -> [OutboxItem] {
        requireRows(.unfinished(of: customer))
        return deliveries.rows(at: customerDeliveries[customer]).compactMap { delivery in
            delivery.state.map { OutboxItem(key: delivery.key, customer: delivery.customer, state: $0) }
        }
    }

    /// Returns the customers with outstanding deliveries or finishes, in order of id.
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
        customerDeliveries[customer].contains { deliveries[$0]?.state != nil }
    }

    /// Stores the state of a delivery, if there is one.
    package mutating func markDelivery(of key: TransactionKey, as state: OutboxItem.State?) throws(VaultError) {
        guard let place = deliveryPlaces[key], var delivery = deliveries[place] else {
            return requireRows(.delivery(of: key))
        }
        guard delivery.state != state else { return }
        delivery.state = state
        deliveries.replace(delivery, at: place)
        record(.deliveryState(delivery))
    }

    /// Returns the purchases of a customer that wait for approval.
    package func pending(of customer: CustomerID) throws(VaultError) -> [PendingPurchase] {
        requireRows(.pending(of: customer))
        return pending[customer] ?? []
    }

    /// Replaces a customer's pending purchases.
    package mutating func setPending(_ pending: [PendingPurchase], of customer: CustomerID) throws(VaultError) {
        self.pending[customer] = pending.isEmpty ? nil : pending
        record(.pending(pending, of: customer))
    }

    /// Stores the id of a notification.
    package mutating func insert(notification uuid: ServerNotification.ID, at instant: Instant) throws(VaultError)
        -> Bool
    {
        requireRows(.notification(uuid: uuid))
        guard notifications[uuid] == nil else { return false }
        notifications[uuid] = instant
        record(.notification(uuid: uuid, at: instant))
        return true
    }

    /// Returns whether a notification's id is stored.
    package func isSeen(notification uuid: ServerNotification.ID) throws(VaultError) -> Bool {
        requireRows(.notification(uuid: uuid))
        return notifications[uuid] != nil
    }

    /// Returns whether a step was written.
    package func isWritten(_ step: StepID) throws(VaultError) -> Bool {
        requireRows(.step(step))
        return steps[step] != nil
    }

    /// Records a step as written.
    package mutating func insert(
        step: StepID, at instant: Instant, forgettingBefore limit: Instant
    ) throws(VaultError) {
        record(.step(step, at: instant, forgettingBefore: limit))
        // Which steps of a remote storage are the oldest, only the storage knows.
        for _ in 0..<(log == nil ? 2 : 0) {
            guard let oldest = stepsByAge.first, oldest.at < limit else { break }
            setStep(oldest.id, to: nil)
        }
        setStep(step, to: instant)
    }

    private mutating func setStep(_ step: StepID, to instant: Instant?) {
        if let known = steps[step] { stepsByAge.remove(WrittenStep(at: known, id: step)) }
        if let instant { stepsByAge.insert(WrittenStep(at: instant, id: step)) }
        steps[step] = instant
    }

    /// Returns how far a backend was read.
    package func cursor(of backend: String) throws(VaultError) -> UpdateCursor? {
        requireRows(.cursor(of: UpdateCursor.Backend(backend)))
        return cursors[UpdateCursor.Backend(backend)]
    }

    /// Stores how far a backend was read.
    package mutating func setCursor(_ cursor: UpdateCursor, of backend: String) throws(VaultError) {
        cursors[UpdateCursor.Backend(backend)] = cursor
        record(.cursor(cursor, of: backend))
    }
}
