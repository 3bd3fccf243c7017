/// The row of a webhook's state.
package struct WebhookRow: RowKind, Hashable {
    package static let table = TableShape(
        "webhook", number: 6,
        [.text("name"), .int("queued"), .int("paused").optional, .text("pause_reason").optional], key: ["name"],
        isSmall: true)

    package static let byName = TableIndex<WebhookRow, String>("primary")

    package let name: String
    package let state: WebhookState

    /// Creates a row.
    package init(_ state: WebhookState, of name: String) {
        self.name = name
        self.state = state
    }

    package func write(to row: RowBuffer) {
        row.text(name)
        row.place(state.queuedThrough)
        row.instant(state.pause?.at)
        row.text(state.pause?.reason)
    }

    package init(from row: inout RowReader) throws(VaultError) {
        name = row.text()
        let (queued, paused, reason) = (row.place(), row.optionalInstant(), row.optionalText())
        state = WebhookState(queuedThrough: queued, pause: paused.map { .init(at: $0, reason: reason ?? "") })
    }
}

/// The row of a customer's undelivered events for one webhook.
package struct WebhookQueueRow: RowKind, Hashable {
    package static let table = TableShape(
        "webhook_queue", number: 7,
        [
            .text("webhook"), .owner, .int("delivered"), .int("queued"), .int("due"), .int("failures"),
            .int("failing").optional, .text("node").optional, .int("until").optional,
        ],
        key: ["customer", "webhook"], indices: [.by("customer"), .by("webhook", "due", named: "due", isOrdered: true)],
        order: TableShape.OrderDraft(["due", "customer"], of: ["webhook"]))

    package static let ofCustomer = TableIndex<WebhookQueueRow, CustomerID, String>("primary")

    package let webhook: String
    package let queue: WebhookQueue

    /// Creates a row.
    package init(_ queue: WebhookQueue, of webhook: String) {
        self.webhook = webhook
        self.queue = queue
    }

    package func write(to row: RowBuffer) {
        row.text(webhook)
        row.owner(queue.customer)
        row.place(queue.deliveredThrough)
        row.place(queue.queuedThrough)
        row.instant(queue.dueAt)
        row.int(Int64(queue.failures))
        row.instant(queue.failingSince)
        row.text(queue.hold?.node)
        row.instant(queue.hold?.until)
    }

    package init(from row: inout RowReader) throws(VaultError) {
        webhook = row.text()
        var queue = WebhookQueue(
            customer: row.owner(), deliveredThrough: row.place(), queuedThrough: row.place(), dueAt: row.instant(),
            failures: Int(Int32(clamping: row.int())), failingSince: row.optionalInstant())
        if let node = row.optionalText(), let until = row.optionalInstant() {
            queue.hold = WebhookQueue.Hold(node: node, until: until)
        }
        self.queue = queue
    }
}

extension WebhookAttempt: RowKind {
    package static let table = TableShape(
        "webhook_attempt", number: 8,
        [
            .owner, .int("number"), .text("webhook"), .int("at"), .int("event"), .text("message"), .int("attempt"),
            .int("milliseconds"), .text("outcome"), .int("status").optional, .text("problem").optional,
        ],
        key: ["customer", "number"], indices: [.by("customer"), .by("at", isOrdered: true)],
        order: TableShape.OrderDraft(["at", "number"], of: ["webhook", "customer"], isDescending: true))

    package static let byInstant = table.index("at")

    package func write(to row: RowBuffer) {
        row.owner(customer)
        row.int(place.number)
        row.text(webhook)
        row.instant(place.at)
        row.place(event)
        row.text(messageID)
        row.int(Int64(number))
        row.int(milliseconds)
        row.text(outcome.rawValue)
        row.int(status.map(Int64.init))
        row.text(problem)
    }

    package init(from row: inout RowReader) throws(VaultError) {
        let (customer, number, webhook, at) = (row.owner(), row.int(), row.text(), row.instant())
        let (event, message, attempt) = (row.place(), row.text(), Int(clamping: row.int()))
        let (milliseconds, word) = (row.int(), row.text())
        guard let outcome = Outcome(rawValue: word) else {
            throw VaultError(.corrupt, "an attempt of a webhook with the unknown outcome '\(word)'")
        }
        self.init(
            webhook: webhook, place: Place(at: at, number: number), customer: customer, event: event,
            messageID: message, number: attempt, milliseconds: milliseconds, outcome: outcome,
            status: row.optionalInt().map { Int(clamping: $0) }, problem: row.optionalText())
    }
}

extension ParkedWebhook: RowKind {
    package static let table = TableShape(
        "webhook_parked", number: 9,
        [
            .text("webhook"), .int("event"), .owner, .text("message"), .int("since"), .int("attempts"),
            .text("problem").optional,
        ],
        key: ["customer", "webhook", "event"],
        indices: [.by("customer"), .by("webhook", "event", named: "event", isOrdered: true)],
        order: TableShape.OrderDraft(["event"], of: ["webhook"]))

    package static let byEvent = TableIndex<ParkedWebhook, CustomerID, String, FeedPlace>("primary")

    package func write(to row: RowBuffer) {
        row.text(webhook)
        row.place(event)
        row.owner(customer)
        row.text(messageID)
        row.instant(since)
        row.int(Int64(attempts))
        row.text(problem)
    }

    package init(from row: inout RowReader) throws(VaultError) {
        self.init(
            webhook: row.text(), event: row.place(), customer: row.owner(), messageID: row.text(),
            since: row.instant(), attempts: Int(clamping: row.int()), problem: row.optionalText())
    }
}
