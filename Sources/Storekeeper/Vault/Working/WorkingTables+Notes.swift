extension WorkingTables {
    package mutating func append(
        _ change: StoreEvent.Draft, about customer: CustomerID
    ) throws(VaultError) -> StoreEvent {
        let event = try rows.append(change, about: customer)
        record(.event(event))
        return event
    }

    package func events(
        after place: FeedPlace, of customer: CustomerID?, limit: Int
    ) throws(VaultError) -> [StoreEvent] {
        guard case .events(let events)? = rows(of: .events(after: place, of: customer, limit: limit)) else {
            throw noList(of: "events")
        }
        return events
    }

    package mutating func owe(_ item: OutboxItem) throws(VaultError) -> Bool {
        need(.delivery(of: item.key))
        guard try rows.owe(item) else { return false }
        if let place = rows.deliveryPlaces[item.key] {
            record(
                .delivery(DeliveryRow(key: item.key, customer: item.customer, state: item.state), place: place))
        }
        return true
    }

    package func customersOwed(after previous: CustomerID?, limit: Int) throws(VaultError) -> [CustomerID] {
        guard case .customers(let customers)? = rows(of: .customersOwed(after: previous, limit: limit)) else {
            throw noList(of: "deliveries")
        }
        return customers
    }

    package func unfinished(of customer: CustomerID) throws(VaultError) -> [OutboxItem] {
        need(.unfinished(of: customer))
        return try rows.unfinished(of: customer)
    }

    package mutating func markDelivery(of key: TransactionKey, as state: OutboxItem.State?) throws(VaultError) {
        guard let place = rows.deliveryPlaces[key], let known = rows.deliveries[place] else {
            need(.delivery(of: key))
            return
        }
        guard known.state != state else { return }
        try rows.markDelivery(of: key, as: state)
        record(.deliveryState(DeliveryRow(key: key, customer: known.customer, state: state)))
    }

    package func pending(of customer: CustomerID) throws(VaultError) -> [PendingPurchase] {
        need(.pending(of: customer))
        return try rows.pending(of: customer)
    }

    package mutating func setPending(_ pending: [PendingPurchase], of customer: CustomerID) throws(VaultError) {
        try rows.setPending(pending, of: customer)
        record(.pending(pending, of: customer))
    }

    package mutating func insert(notification uuid: ServerNotification.ID, at instant: Instant) throws(VaultError)
        -> Bool
    {
        need(.notification(uuid: uuid))
        guard try rows.insert(notification: uuid, at: instant) else { return false }
        record(.notification(uuid: uuid, at: instant))
        return true
    }

    package func isSeen(notification uuid: ServerNotification.ID) throws(VaultError) -> Bool {
        need(.notification(uuid: uuid))
        return try rows.isSeen(notification: uuid)
    }

    package func isWritten(_ step: StepID) throws(VaultError) -> Bool {
        need(.step(step))
        return try rows.isWritten(step)
    }

    package mutating func insert(
        step: StepID, at instant: Instant, forgettingBefore limit: Instant
    ) throws(VaultError) {
        // Which are the oldest, only the storage knows.
        try rows.insert(step: step, at: instant, forgettingBefore: .distantPast)
        record(.step(step, at: instant, forgettingBefore: limit))
    }

    package mutating func keep(_ marks: ErasedMarks) throws(VaultError) {
        try rows.keep(marks)
        record(.marks(marks))
    }

    package func isMarked(_ mark: ErasedMark) throws(VaultError) -> Bool {
        if try rows.isMarked(mark) { return true }
        need(.mark(mark))
        return false
    }

    package func cursor(of backend: String) throws(VaultError) -> UpdateCursor? {
        need(.cursor(of: UpdateCursor.Backend(backend)))
        return try rows.cursor(of: backend)
    }

    package mutating func setCursor(_ cursor: UpdateCursor, of backend: String) throws(VaultError) {
        try rows.setCursor(cursor, of: backend)
        record(.cursor(cursor, of: backend))
    }
}
