/// A step that changes a webhook: the rows that the vault has loaded, and the changes to be written.
package struct WebhookStep: Sendable {
    /// The webhook.
    package let name: String
    /// The state of the webhook; `nil` if the vault has no such webhook.
    package private(set) var state: WebhookState?
    /// The webhook's queues for the customers of this step.
    package private(set) var queues: [CustomerID: WebhookQueue]
    /// The attempts to be added to the log.
    private var attempts: [(attempt: WebhookAttempt, at: Instant)] = []
    /// The messages to be parked.
    private var parked: [ParkedWebhook] = []

    private let known: [CustomerID: WebhookQueue]
    private let knownState: WebhookState?

    // MARK: Rows

    /// Reads the state of a webhook, and its queues for some customers.
    init(_ name: String, of customers: [CustomerID], in tables: borrowing some VaultTables) throws(VaultError) {
        self.name = name
        state = try tables.first(WebhookRow.byName, name)?.state
        knownState = state
        var queues: [CustomerID: WebhookQueue] = [:]
        for customer in customers {
            queues[customer] = try tables.first(WebhookQueueRow.ofCustomer, customer, name)?.queue
        }
        (known, self.queues) = (queues, queues)
    }

    /// Writes what the step has changed, except about customers who were erased.
    func write(to tables: inout some VaultTables, isWhole: Bool) throws(VaultError) {
        if isWhole, let state, state != knownState {
            let row = WebhookRow(state, of: name)
            if knownState == nil { _ = try tables.insert(row) } else { try tables.update(row) }
        }
        for (customer, queue) in queues.sorted(by: { $0.key < $1.key }) where known[customer] != queue {
            if try tables.contains(customer) { try tables.set(WebhookQueueRow(queue, of: name)) }
        }
        for (attempt, now) in attempts where try tables.contains(attempt.customer) {
            try tables.set(attempt)
            let limit = now.adding(milliseconds: -Self.memory).millisecondsSince1970
            try tables.remove(
                OldRows(table: WebhookAttempt.table, index: WebhookAttempt.byInstant, limit: limit, count: 2))
        }
        for message in parked where try tables.contains(message.customer) { try tables.set(message) }
        // Rows are removed last, because a remote storage writes rows together only until rows are removed.
        for (attempt, _) in attempts where attempt.outcome == .delivered {
            _ = try tables.remove(ParkedWebhook.byEvent, attempt.customer, name, attempt.event)
        }
        for customer in known.keys.sorted() where queues[customer] == nil {
            _ = try tables.remove(WebhookQueueRow.ofCustomer, customer, name)
        }
    }

    // MARK: Queueing

    /// Creates the state of a webhook that delivers the events after a position in the feed; has no effect if the state
    /// exists.
    package mutating func begin(after place: FeedPlace) {
        if state == nil { state = WebhookState(queuedThrough: place) }
    }

    /// Queues the next events of the feed.
    ///
    /// - Parameters:
    ///   - events: The customer and the place of each event after `start`, in order.
    ///   - start: The place up to which events were queued when the feed was read.
    ///   - now: The current time, in UTC.
    /// - Returns: `false` if another node has queued the events, or if deliveries are stopped. In both cases, nothing
    ///   changes.
    package mutating func queue(
        _ events: [(customer: CustomerID, place: FeedPlace)], after start: FeedPlace, at now: Instant
    ) -> Bool {
        guard state?.queuedThrough == start, state?.pause == nil, let last = events.last?.place else { return false }
        for (customer, place) in events { queue(customer, after: start, through: place, at: now) }
        state?.queuedThrough = last
        return true
    }

    /// Queues the events of a customer after a position in the feed, even if they were delivered before.
    private mutating func queue(
        _ customer: CustomerID, after start: FeedPlace, through end: FeedPlace, at now: Instant
    ) {
        guard var queue = queues[customer] else {
            queues[customer] = WebhookQueue(
                customer: customer, deliveredThrough: start, queuedThrough: end, dueAt: now)
            return
        }
        if queue.deliveredThrough.isAfter(start) {
            queue.deliveredThrough = start
            queue.failures = 0
            queue.failingSince = nil
            // If a node is posting an event of the customer now, the node must first record its attempt. If the queue
            // were due now, another node could post at the same time.
            if queue.hold == nil { queue.dueAt = now }
        }
        if end.isAfter(queue.queuedThrough) { queue.queuedThrough = end }
        queues[customer] = queue
    }

    // MARK: Delivering

    /// Leases the queues that are due and that no other node has leased; see ``WakeSearch``.
    ///
    /// - Returns: The leased queues, in the order of the customers.
    package mutating func take(_ customers: [CustomerID], _ lease: WakeLease, at now: Instant) -> [WebhookQueue] {
        guard let state, state.pause == nil else { return [] }
        var taken: [WebhookQueue] = []
        for customer in customers {
            guard var queue = queues[customer] else { continue }
            var search = WakeSearch(lease, at: now)
            guard case .announce = search.examine(at: [queue.wake], isLast: true) else { continue }
            queue.hold = search.hold.map { WebhookQueue.Hold(node: $0.node, until: $0.until) }
            queues[customer] = queue
            taken.append(queue)
        }
        return taken
    }

    /// The state of a message after an attempt.
    package enum Progress: Hashable, Sendable {
        /// The message was delivered, or is skipped because its event was erased.
        case done
        /// The message will be sent again at an instant.
        case retry(at: Instant)
        /// The message is not sent again automatically, and the queue continues with the next event.
        case parked
        /// The message stays in the queue, because the receiver no longer accepts messages or the node is shutting
        /// down.
        case kept
    }

    /// Records an attempt, and either moves the queue to the next event or schedules the next attempt.
    ///
    /// - Parameters:
    ///   - attempt: The attempt to be added to the log; `nil` if the message was not sent.
    ///   - queue: The queue that the node has leased, as ``take(_:_:at:)`` or the previous call of this function
    ///     returned it.
    ///   - place: The position of the event in the feed.
    ///   - progress: The state of the message after the attempt.
    ///   - lease: The node's lease, which is renewed if the node continues with the queue.
    /// - Returns: The queue to continue with; `nil` if the node no longer has the lease.
    package mutating func record(
        _ attempt: WebhookAttempt?, of queue: WebhookQueue, through place: FeedPlace, as progress: Progress,
        _ lease: WakeLease, at now: Instant
    ) -> WebhookQueue? {
        // If the customer was erased, the queue does not exist, and nothing is written.
        guard var own = queues[queue.customer] else { return nil }
        if let attempt { attempts.append((attempt, now)) }
        guard let hold = own.hold, hold.node.hasSameBytes(as: lease.node) else { return nil }
        let isRewound = own.deliveredThrough != queue.deliveredThrough
        if isRewound || progress == .kept {
            own.dueAt = min(own.dueAt, now)
            own.hold = nil
            queues[own.customer] = own
            return nil
        }
        switch progress {
        case .done, .parked:
            if progress == .parked, let attempt { parked.append(ParkedWebhook(attempt, since: now)) }
            own.deliveredThrough = place
            own.failures = 0
            own.failingSince = nil
            own.dueAt = now
            guard own.queuedThrough.isAfter(place) else {
                queues[own.customer] = nil
                return nil
            }
            own.hold = state?.pause == nil ? .init(node: lease.node, until: lease.end(from: now)) : nil
        case .retry(let instant):
            own.failures += 1
            own.failingSince = own.failingSince ?? now
            own.dueAt = instant
            own.hold = nil
        case .kept: break
        }
        queues[own.customer] = own
        return own.hold == nil ? nil : own
    }

    /// The time for which attempts are stored: thirty days, in milliseconds.
    ///
    /// Each attempt that is added removes at most two older ones.
    package static let memory: Int64 = 30 * 86_400_000

    // MARK: Commands

    /// Stops all deliveries.
    package mutating func pause(because reason: String, at now: Instant) {
        if state?.pause == nil { state?.pause = WebhookState.Pause(at: now, reason: reason) }
    }

    /// Resumes deliveries.
    ///
    /// - Returns: Whether deliveries were stopped.
    package mutating func resume() -> Bool {
        defer { state?.pause = nil }
        return state?.pause != nil
    }

    /// Makes the failed messages of customers due now, except messages that failed before an instant, and messages that
    /// a node is posting.
    ///
    /// - Returns: The number of customers with such a message.
    package mutating func retryNow(_ customers: [CustomerID], failingSince start: Instant, at now: Instant) -> Int {
        var count = 0
        for customer in customers {
            guard let queue = queues[customer], let since = queue.failingSince, since >= start, queue.hold == nil,
                queue.dueAt > now
            else { continue }
            queues[customer]?.dueAt = now
            count += 1
        }
        return count
    }

    /// Delivers again all events that follow a position in the feed, in order for each customer.
    package mutating func replay(after place: FeedPlace) {
        if state?.queuedThrough.isAfter(place) == true { state?.queuedThrough = place }
    }

    /// Delivers again a customer's events that follow a position in the feed, in order.
    package mutating func replay(_ customer: CustomerID, after place: FeedPlace, at now: Instant) {
        guard let end = state?.queuedThrough, end.isAfter(place) else { return }
        queue(customer, after: place, through: end, at: now)
    }
}

extension WakeLease {
    /// Returns the exclusive end of a lease that begins now.
    fileprivate func end(from now: Instant) -> Instant { now.adding(milliseconds: milliseconds) }
}

extension Footprint {
    /// The rows of a step about a webhook.
    init(webhook name: String, of customers: [CustomerID], isWhole: Bool) {
        let state = RowQuestion(WebhookRow.byName, name)
        self.init(isWhole ? [.rows(state), .turn(state)] : [.rows(state)])
        for customer in customers {
            insert(.customer(customer))
            insert(.rows(WebhookQueueRow.ofCustomer, customer, name))
        }
    }
}
