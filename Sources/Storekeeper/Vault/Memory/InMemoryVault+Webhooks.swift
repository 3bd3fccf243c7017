import Synchronization

/// The data about webhooks in an ``InMemoryVault``.
struct MemoryWebhooks: Sendable {
    var states: [String: WebhookState] = [:]
    var queues: [String: [CustomerID: WebhookQueue]] = [:]
    var attempts: [WebhookAttempt] = []
    var parked: [ParkedWebhook] = []

    /// Removes the queues, attempts and parked messages of a customer.
    mutating func erase(_ customer: CustomerID) {
        for name in queues.keys { queues[name]?[customer] = nil }
        attempts.removeAll { $0.customer == customer }
        parked.removeAll { $0.customer == customer }
    }
}

extension InMemoryVault: WebhookVault {
    package var webhooks: (any WebhookVault)? { self }

    /// Changes the state of a webhook and the queues of some customers.
    package func changeWebhook<Outcome: Sendable>(
        _ name: String, of customers: [CustomerID], isWhole: Bool,
        _ body: @escaping @Sendable (inout WebhookStep) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome {
        // A queue is not stored for a customer whom the vault no longer contains, because this customer was erased.
        let known = try readNow { tables throws(VaultError) in
            var known: Set<CustomerID> = []
            for customer in customers where try tables.customer(customer) != nil { known.insert(customer) }
            return known
        }
        return try webhookRows.withLock { rows throws(VaultError) in
            var step = WebhookStep(
                name, state: rows.states[name], queues: customers.compactMap { rows.queues[name]?[$0] })
            let outcome = try body(&step)
            if let state = step.changedState, isWhole { rows.states[name] = state }
            for queue in step.changedQueues
            where known.contains(queue.customer) && (isWhole || rows.queues[name]?[queue.customer] != nil) {
                rows.queues[name, default: [:]][queue.customer] = queue
            }
            for customer in step.emptied { rows.queues[name]?[customer] = nil }
            rows.attempts += step.attempts
            let (delivered, new) = (Set(step.delivered), Set(step.parked.map(\.event)))
            rows.parked.removeAll { $0.webhook == name && (delivered.contains($0.event) || new.contains($0.event)) }
            rows.parked += step.parked
            if let limit = step.forgetsBefore { rows.attempts.removeAll { $0.place.at < limit } }
            return outcome
        }
    }

    /// Returns the state of a webhook.
    package func webhookState(of name: String) async throws(VaultError) -> WebhookState? {
        webhookRows.withLock { $0.states[name] }
    }

    /// Returns summaries of the vault's webhooks, by name.
    package func webhookSummaries() async throws(VaultError) -> [WebhookSummary] {
        webhookRows.withLock { rows in
            rows.states.sorted { $0.key < $1.key }.map { name, state in
                let queues = rows.queues[name, default: [:]].values
                let failing = queues.filter { $0.failures > 0 }
                let limit = WebhookSummary.countLimit
                return WebhookSummary(
                    name: name, state: state, waiting: min(queues.count, limit), failing: min(failing.count, limit),
                    failingSince: failing.compactMap(\.failingSince).min(),
                    parked: min(rows.parked.count { $0.webhook == name }, limit))
            }
        }
    }

    /// Returns the customers with a queue of a webhook, each with the instant when the queue is due, in order of this
    /// instant.
    package func webhookWakes(
        of name: String, after previous: WakeRow?, limit: Int
    ) async throws(VaultError) -> [WakeRow] {
        let wakes = webhookRows.withLock { rows in rows.queues[name, default: [:]].values.map(\.wake) }
        let sorted = wakes.sorted { ($0.at, $0.customer) < ($1.at, $1.customer) }
        let rest = previous.map { last in sorted.filter { ($0.at, $0.customer) > (last.at, last.customer) } }
        return Array((rest ?? sorted).prefix(limit))
    }

    /// Returns delivery attempts, newest first.
    package func webhookAttempts(
        of name: String?, about customer: CustomerID?, before place: WebhookAttempt.Place?, limit: Int
    ) async throws(VaultError) -> [WebhookAttempt] {
        let all = webhookRows.withLock { $0.attempts }
        let wanted = all.filter { attempt in
            (name.map { $0.hasSameBytes(as: attempt.webhook) } ?? true)
                && (customer.map { $0 == attempt.customer } ?? true) && (place.map { attempt.place < $0 } ?? true)
        }
        return Array(wanted.sorted { $0.place > $1.place }.prefix(limit))
    }

    /// Returns the parked messages of a webhook, oldest event first.
    package func parkedWebhooks(
        of name: String, after place: FeedPlace, limit: Int
    ) async throws(VaultError) -> [ParkedWebhook] {
        let all = webhookRows.withLock { $0.parked }
        let wanted = all.filter { $0.webhook.hasSameBytes(as: name) && $0.event.isAfter(place) }
        return Array(wanted.sorted { $1.event.isAfter($0.event) }.prefix(limit))
    }
}
