// The progress of a webhook consists of the position in the feed up to which events were queued, a ``WebhookQueue`` for
// each customer with undelivered events, the delivery attempts, and the parked messages. The events themselves are rows
// of the vault.
extension TransactionalVault {
    /// Changes the state of a webhook and the queues of some customers, in one durable step.
    ///
    /// The queues do not change until the step is written, not even by other processes. A queue is never stored for an
    /// erased customer.
    ///
    /// - Parameters:
    ///   - name: The name of the webhook.
    ///   - customers: The customers whose queues are read.
    ///   - isWhole: Whether the step may also change the state of the webhook and add queues. Only one such step of a
    ///     webhook runs at a time.
    ///   - body: The step. It may run again, from the start, after its writes were undone.
    package func changeWebhook<Outcome: Sendable>(
        _ name: String, of customers: [CustomerID], isWhole: Bool,
        _ body: @escaping @Sendable (inout WebhookStep) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome {
        try await write(Footprint(webhook: name, of: customers, isWhole: isWhole)) { tables throws(VaultError) in
            var step = try WebhookStep(name, of: customers, in: tables)
            let outcome = try body(&step)
            try step.write(to: &tables, isWhole: isWhole)
            return outcome
        }
    }

    /// Returns the state of a webhook; `nil` if the vault has no such webhook.
    package func webhookState(of name: String) async throws(VaultError) -> WebhookState? {
        try await readShortly([.rows(WebhookRow.byName, name)]) { tables throws(VaultError) in
            try tables.first(WebhookRow.byName, name)?.state
        }
    }

    /// Returns summaries of the vault's webhooks, by name.
    package func webhookSummaries() async throws(VaultError) -> [WebhookSummary] {
        try await read(Footprint(list: .webhooks)) { tables throws(VaultError) in try tables.webhookSummaries() }
    }

    /// Returns the times at which the queues of a webhook are due, in order of ``WebhookQueue/dueAt`` and customer,
    /// after a given row.
    package func webhookWakes(
        of name: String, after previous: WakeRow?, limit: Int
    ) async throws(VaultError) -> [WakeRow] {
        let list = RowList(WebhookQueueRow.table) {
            $0.text(name)
        } after: {
            $0.int(previous?.at.millisecondsSince1970 ?? .min)
            $0.owner(previous?.customer ?? CustomerID(rawValue: ""))
        }
        return try await page(of: WebhookQueueRow.self, list, limit: limit).map(\.queue.wake)
    }

    /// Returns delivery attempts, newest first.
    ///
    /// - Parameters:
    ///   - name: The webhook; `nil` for all webhooks.
    ///   - customer: The customer; `nil` for all customers.
    ///   - place: The place of the last attempt of the previous page; `nil` for the first page.
    package func webhookAttempts(
        of name: String?, about customer: CustomerID?, before place: WebhookAttempt.Place?, limit: Int
    ) async throws(VaultError) -> [WebhookAttempt] {
        let list = RowList(WebhookAttempt.table) {
            $0.text(name)
            if let customer { $0.owner(customer) } else { $0.null() }
        } after: {
            $0.int(place?.at.millisecondsSince1970 ?? .max)
            $0.int(place?.number ?? .max)
        }
        return try await page(of: WebhookAttempt.self, list, limit: limit)
    }

    /// Returns the parked messages of a webhook whose events follow a position in the feed, oldest event first.
    package func parkedWebhooks(
        of name: String, after place: FeedPlace, limit: Int
    ) async throws(VaultError) -> [ParkedWebhook] {
        let list = RowList(ParkedWebhook.table) {
            $0.text(name)
        } after: {
            $0.place(place)
        }
        return try await page(of: ParkedWebhook.self, list, limit: limit)
    }

    private func page<Row: RowKind>(
        of kind: Row.Type, _ list: RowList, limit: Int
    ) async throws(VaultError) -> [Row] {
        try await read(Footprint(list: .ordered(list, limit: limit))) { tables throws(VaultError) in
            try tables.page(of: Row.self, list, limit: limit)
        }
    }

    /// Makes failed messages of a webhook due now, so that they are posted again without a wait.
    ///
    /// - Parameters:
    ///   - start: The instant before which the messages must not have failed.
    ///   - spared: The customers whose messages keep their waits.
    /// - Returns: The number of customers with such a message.
    package func retryWebhook(
        _ name: String, at now: Instant, failingSince start: Instant = .distantPast,
        except spared: Set<CustomerID> = []
    ) async throws(VaultError) -> Int {
        // Messages that are due already are earlier in the list, and are posted anyway.
        var (count, last) = (0, WakeRow(customer: CustomerID(rawValue: ""), at: now, hold: nil))
        while true {
            let page = try await webhookWakes(of: name, after: last, limit: 100)
            guard let end = page.last else { return count }
            last = end
            let customers = page.map(\.customer).filter { !spared.contains($0) }
            count += try await changeWebhook(name, of: customers, isWhole: false) { step in
                step.retryNow(customers, failingSince: start, at: now)
            }
        }
    }
}

/// The state of a webhook: the position in the feed up to which events were queued, and the pause of the deliveries, if
/// any.
package struct WebhookState: Hashable, Sendable {
    /// A stop of all deliveries.
    package struct Pause: Hashable, Sendable {
        /// When the pause began, in UTC.
        package let at: Instant
        /// The reason of the pause, as a text for people.
        package let reason: String

        /// Creates a pause.
        package init(at instant: Instant, reason: String) {
            at = instant
            self.reason = reason
        }
    }

    /// The position in the feed up to which all events were queued, inclusive.
    package var queuedThrough: FeedPlace
    /// The pause, if deliveries are stopped.
    package var pause: Pause?

    /// Creates a state.
    package init(queuedThrough: FeedPlace, pause: Pause? = nil) {
        self.queuedThrough = queuedThrough
        self.pause = pause
    }
}

/// The undelivered events of a customer for one webhook: the events between two places in the feed.
///
/// The events are posted one after another, so that a failure delays only the later events of the same customer.
package struct WebhookQueue: Hashable, Sendable {
    /// The customer.
    package let customer: CustomerID
    /// The position in the feed up to which events were delivered or parked, inclusive.
    package var deliveredThrough: FeedPlace
    /// The position in the feed up to which events are to be delivered, inclusive.
    package var queuedThrough: FeedPlace
    /// When the next attempt is due, in UTC.
    package var dueAt: Instant
    /// The number of consecutive failures of the next event.
    package var failures: Int
    /// When the next event failed for the first time, in UTC.
    package var failingSince: Instant?
    /// The last lease of the queue; `nil` if no node has leased the queue.
    package var hold: Hold?

    /// A lease of the queue.
    package struct Hold: Hashable, Sendable {
        /// The node's name.
        package let node: String
        /// The end of the lease by the node's clock, exclusive, in UTC.
        package let until: Instant

        /// Creates a lease.
        package init(node: String, until: Instant) {
            self.node = node
            self.until = until
        }
    }

    /// Creates a queue.
    package init(
        customer: CustomerID, deliveredThrough: FeedPlace, queuedThrough: FeedPlace, dueAt: Instant, failures: Int = 0,
        failingSince: Instant? = nil, hold: Hold? = nil
    ) {
        self.customer = customer
        self.deliveredThrough = deliveredThrough
        self.queuedThrough = queuedThrough
        self.dueAt = dueAt
        self.failures = failures
        self.failingSince = failingSince
        self.hold = hold
    }

    /// The time at which the queue is due, in the form in which ``WakeSearch`` can lease it like a customer's wake.
    package var wake: WakeRow {
        WakeRow(
            customer: customer, at: dueAt,
            hold: hold.map { HeldWakeLease(node: $0.node, wakeAt: dueAt, until: $0.until) })
    }
}

/// An attempt to deliver a message.
package struct WebhookAttempt: Hashable, Sendable {
    /// The position in the log of attempts.
    package struct Place: Hashable, Comparable, Sendable, LosslessStringConvertible {
        /// When the attempt began, in UTC.
        package let at: Instant
        /// A random number, at least 0, which distinguishes attempts at the same instant.
        package let number: Int64

        /// Creates a place.
        package init(at instant: Instant, number: Int64) {
            at = instant
            self.number = number
        }

        /// Parses the text of a place from ``description``; `nil` if the text is not a place.
        package init?(_ description: String) {
            let parts = description.split(separator: "-", omittingEmptySubsequences: false)
            guard parts.count == 2, let milliseconds = Int64(parts[0]), let number = Int64(parts[1]), number >= 0,
                let at = Instant(millisecondsSince1970: milliseconds)
            else { return nil }
            self.init(at: at, number: number)
            guard self.description == description else { return nil }
        }

        package var description: String { "\(at.millisecondsSince1970)-\(number)" }

        package static func < (left: Place, right: Place) -> Bool { (left.at, left.number) < (right.at, right.number) }
    }

    /// The result of an attempt.
    package enum Outcome: String, Hashable, Sendable, CaseIterable {
        /// The receiver has accepted the message.
        case delivered
        /// The receiver did not accept the message; the message will be sent again.
        case failed
        /// The receiver did not accept the message; the message will not be sent again automatically.
        case parked
        /// The receiver no longer accepts messages of this webhook; all deliveries are stopped.
        case gone
    }

    /// The name of the webhook.
    package let webhook: String
    /// The position in the log.
    package let place: Place
    /// The customer whom the event is about.
    package let customer: CustomerID
    /// The position of the event in the feed.
    package let event: FeedPlace
    /// The id of the message, the same for each attempt.
    package let messageID: String
    /// The number of the attempt, from 1.
    package let number: Int
    /// The duration in milliseconds.
    package let milliseconds: Int64
    /// The result.
    package var outcome: Outcome
    /// The HTTP status; `nil` if the receiver did not respond.
    package let status: Int?
    /// Why the message was not accepted.
    package let problem: String?

    /// Creates an attempt.
    package init(
        webhook: String, place: Place, customer: CustomerID, event: FeedPlace, messageID: String, number: Int,
        milliseconds: Int64, outcome: Outcome, status: Int?, problem: String?
    ) {
        self.webhook = webhook
        self.place = place
        self.customer = customer
        self.event = event
        self.messageID = messageID
        self.number = number
        self.milliseconds = milliseconds
        self.outcome = outcome
        self.status = status
        self.problem = problem
    }
}

/// A message that is not sent again automatically.
package struct ParkedWebhook: Hashable, Sendable {
    /// The name of the webhook.
    package let webhook: String
    /// The position of the event in the feed.
    package let event: FeedPlace
    /// The customer whom the event is about.
    package let customer: CustomerID
    /// The id of the message.
    package let messageID: String
    /// When the message was parked, in UTC.
    package let since: Instant
    /// The number of attempts.
    package let attempts: Int
    /// Why the last attempt failed.
    package let problem: String?

    /// Creates a parked message.
    package init(
        webhook: String, event: FeedPlace, customer: CustomerID, messageID: String, since: Instant, attempts: Int,
        problem: String?
    ) {
        self.webhook = webhook
        self.event = event
        self.customer = customer
        self.messageID = messageID
        self.since = since
        self.attempts = attempts
        self.problem = problem
    }

    init(_ attempt: WebhookAttempt, since instant: Instant) {
        self.init(
            webhook: attempt.webhook, event: attempt.event, customer: attempt.customer, messageID: attempt.messageID,
            since: instant, attempts: attempt.number, problem: attempt.problem)
    }
}

/// A webhook, with the numbers of its customers with undelivered events, of its failing customers, and of its parked
/// messages.
package struct WebhookSummary: Hashable, Sendable {
    /// The number at which counting stops, so that a summary is computed quickly.
    package static let countLimit = 10_000

    /// The name of the webhook.
    package let name: String
    /// The state of the webhook.
    package let state: WebhookState
    /// The number of customers with undelivered events, at most ``countLimit``.
    package let waiting: Int
    /// The number of customers whose next event has failed, at most ``countLimit``.
    package let failing: Int
    /// The earliest of the customers' ``WebhookQueue/failingSince`` instants, in UTC; `nil` if no delivery is failing.
    package let failingSince: Instant?
    /// The number of parked messages, at most ``countLimit``.
    package let parked: Int

    /// Creates a summary.
    package init(
        name: String, state: WebhookState, waiting: Int, failing: Int, failingSince: Instant?, parked: Int
    ) {
        self.name = name
        self.state = state
        self.waiting = waiting
        self.failing = failing
        self.failingSince = failingSince
        self.parked = parked
    }
}
