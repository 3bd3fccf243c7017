package import Storekeeper

extension SQLiteVault: WebhookVault {
    package var webhooks: (any WebhookVault)? { self }

    /// Changes the state of a webhook and the queues of some customers in one step.
    package func changeWebhook<Outcome: Sendable>(
        _ name: String, of customers: [CustomerID], isWhole: Bool,
        _ body: @escaping @Sendable (inout WebhookStep) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome {
        try await write([]) { tables throws(VaultError) in
            let rows = WebhookTables(tables: tables)
            var step = try rows.step(name, customers)
            let outcome = try body(&step)
            try rows.write(step, isWhole: isWhole)
            return outcome
        }
    }

    /// Returns the state of a webhook.
    package func webhookState(of name: String) async throws(VaultError) -> WebhookState? {
        try await readShortly([]) { tables throws(VaultError) in try WebhookTables(tables: tables).state(name) }
    }

    /// Returns summaries of the stored webhooks, sorted by name.
    package func webhookSummaries() async throws(VaultError) -> [WebhookSummary] {
        try await read([]) { tables throws(VaultError) in
            try tables.connection.all(WebhookTables.summaries) {
                for _ in 0..<3 { $0.int(WebhookSummary.countLimit) }
            } _: { row in
                let (name, state) = (row.text(), WebhookState(&row))
                return WebhookSummary(
                    name: name, state: state, waiting: Int(clamping: row.int()), failing: Int(clamping: row.int()),
                    failingSince: row.optionalInstant(), parked: Int(clamping: row.int()))
            }
        }
    }

    /// Returns a page of the queues of a webhook, sorted by the instant at which each queue is due.
    package func webhookWakes(
        of name: String, after previous: WakeRow?, limit: Int
    ) async throws(VaultError) -> [WakeRow] {
        try await read([]) { tables throws(VaultError) in
            try tables.connection.all(WebhookTables.pageOfWakes) {
                $0.text(name)
                $0.int(previous?.at.millisecondsSince1970 ?? .min)
                $0.int(previous?.at.millisecondsSince1970 ?? .min)
                $0.text(previous?.customer.rawValue ?? "")
                $0.int(limit)
            } _: { row in
                let customer = CustomerID(rawValue: row.text())
                return WebhookQueue(customer, &row).wake
            }
        }
    }

    /// Returns a page of attempts to deliver messages, beginning with the newest attempt.
    package func webhookAttempts(
        of name: String?, about customer: CustomerID?, before place: WebhookAttempt.Place?, limit: Int
    ) async throws(VaultError) -> [WebhookAttempt] {
        try await read([]) { tables throws(VaultError) in
            let number: Int64?
            if let customer {
                guard let known = try tables.number(of: customer) else { return [] }
                number = known
            } else {
                number = nil
            }
            let statement = number == nil ? WebhookTables.attempts : WebhookTables.attemptsOfCustomer
            return try tables.connection.all(statement) {
                if let number { $0.int(number) }
                $0.text(name)
                $0.text(name)
                $0.int(place?.at.millisecondsSince1970 ?? .max)
                $0.int(place?.number ?? .max)
                $0.int(limit)
            } _: { row throws(VaultError) in
                try WebhookAttempt(&row, tables.connection.file)
            }
        }
    }

    /// Returns a page of the parked messages of a webhook, beginning with the message about the oldest event.
    package func parkedWebhooks(
        of name: String, after place: FeedPlace, limit: Int
    ) async throws(VaultError) -> [ParkedWebhook] {
        try await read([]) { tables throws(VaultError) in
            try tables.connection.all(WebhookTables.pageOfParked) {
                $0.text(name)
                $0.int(place.number)
                $0.int(limit)
            } _: { row in
                ParkedWebhook(
                    webhook: name, event: FeedPlace(row.int()), customer: CustomerID(rawValue: row.text()),
                    messageID: row.text(), since: row.instant(), attempts: Int(clamping: row.int()),
                    problem: row.optionalText())
            }
        }
    }
}

/// The tables of webhooks, for use by one step.
private struct WebhookTables {
    let tables: SQLiteTables

    private var connection: Connection { tables.connection }

    private static let readState = Statement("SELECT queued, paused, pause_reason FROM webhook WHERE name = ?")
    private static let writeState = Statement(
        """
        INSERT INTO webhook(name, queued, paused, pause_reason) VALUES(?, ?, ?, ?)
        ON CONFLICT(name) DO UPDATE SET queued = excluded.queued, paused = excluded.paused,
          pause_reason = excluded.pause_reason
        """)
    private static let queueColumns = "delivered, queued, due, failures, failing, node, until"
    private static let readQueue = Statement(
        "SELECT \(queueColumns) FROM webhook_queue WHERE webhook = ? AND customer = ?")
    private static let writeQueue = Statement(
        "INSERT OR REPLACE INTO webhook_queue(webhook, customer, \(queueColumns)) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)")
    private static let removeQueue = Statement("DELETE FROM webhook_queue WHERE webhook = ? AND customer = ?")
    private static let addAttempt = Statement(
        """
        INSERT INTO webhook_attempt(number, webhook, customer, at, event, message, attempt, milliseconds, outcome, status,
          problem) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT(number) DO NOTHING
        """)
    /// Deletes the records of at most two old attempts; each step that records an attempt runs this statement, so that
    /// the table does not grow without limit.
    private static let forgetAttempts = Statement(
        """
        DELETE FROM webhook_attempt WHERE number IN (SELECT number FROM webhook_attempt WHERE at < ? ORDER BY at LIMIT 2)
        """)
    private static let addParked = Statement(
        "INSERT OR REPLACE INTO webhook_parked VALUES(?, ?, ?, ?, ?, ?, ?)")
    private static let removeParked = Statement("DELETE FROM webhook_parked WHERE webhook = ? AND event = ?")

    static let summaries = Statement(
        """
        SELECT name, queued, paused, pause_reason,
          (SELECT count(*) FROM (SELECT 1 FROM webhook_queue q WHERE q.webhook = w.name LIMIT ?)),
          (SELECT count(*) FROM (SELECT 1 FROM webhook_queue q WHERE q.webhook = w.name AND failures > 0 LIMIT ?)),
          (SELECT min(failing) FROM webhook_queue q WHERE q.webhook = w.name),
          (SELECT count(*) FROM (SELECT 1 FROM webhook_parked p WHERE p.webhook = w.name LIMIT ?))
        FROM webhook w ORDER BY name
        """)
    static let pageOfWakes = Statement(
        """
        SELECT name, \(queueColumns) FROM webhook_queue JOIN customer ON customer.id = webhook_queue.customer
        WHERE webhook = ? AND due >= ? AND (due > ? OR name > ?) ORDER BY due, name LIMIT ?
        """)
    private static let selectAttempt = """
        SELECT webhook_attempt.number, webhook, name, at, event, message, attempt, milliseconds, outcome, status, problem
        FROM webhook_attempt JOIN customer ON customer.id = webhook_attempt.customer
        """
    private static let attemptOrder = """
        (? IS NULL OR webhook = ?) AND (at, webhook_attempt.number) < (?, ?)
        ORDER BY at DESC, webhook_attempt.number DESC LIMIT ?
        """
    static let attempts = Statement("\(selectAttempt) WHERE \(attemptOrder)")
    static let attemptsOfCustomer = Statement(
        "\(selectAttempt) WHERE webhook_attempt.customer = ? AND \(attemptOrder)")
    static let pageOfParked = Statement(
        """
        SELECT event, name, message, since, attempts, problem FROM webhook_parked
        JOIN customer ON customer.id = webhook_parked.customer WHERE webhook = ? AND event > ? ORDER BY event LIMIT ?
        """)

    func state(_ name: String) throws(VaultError) -> WebhookState? {
        try connection.first(Self.readState) {
            $0.text(name)
        } _: {
            WebhookState(&$0)
        }
    }

    /// Reads the state and the queues that a step may change.
    func step(_ name: String, _ customers: [CustomerID]) throws(VaultError) -> WebhookStep {
        let state = try state(name)
        var queues: [WebhookQueue] = []
        for customer in customers {
            guard let number = try tables.number(of: customer) else { continue }
            let queue = try connection.first(Self.readQueue) {
                $0.text(name)
                $0.int(number)
            } _: {
                WebhookQueue(customer, &$0)
            }
            if let queue { queues.append(queue) }
        }
        return WebhookStep(name, state: state, queues: queues)
    }

    /// Writes the state, the queues and the other rows that a step has changed.
    func write(_ step: WebhookStep, isWhole: Bool) throws(VaultError) {
        let name = step.name
        if isWhole, let state = step.changedState {
            try connection.run(Self.writeState) {
                $0.text(name)
                $0.int(state.queuedThrough.number)
                $0.instant(state.pause?.at)
                $0.text(state.pause?.reason)
            }
        }
        for queue in step.changedQueues {
            // The queue of an erased customer is not stored.
            guard let number = try tables.number(of: queue.customer) else { continue }
            try connection.run(Self.writeQueue) {
                $0.text(name)
                $0.int(number)
                $0.int(queue.deliveredThrough.number)
                $0.int(queue.queuedThrough.number)
                $0.instant(queue.dueAt)
                $0.int(queue.failures)
                $0.instant(queue.failingSince)
                $0.text(queue.hold?.node)
                $0.instant(queue.hold?.until)
            }
        }
        for customer in step.emptied {
            guard let number = try tables.number(of: customer) else { continue }
            try connection.run(Self.removeQueue) {
                $0.text(name)
                $0.int(number)
            }
        }
        try writeLog(step)
    }

    private func writeLog(_ step: WebhookStep) throws(VaultError) {
        for attempt in step.attempts {
            guard let number = try tables.number(of: attempt.customer) else { continue }
            try connection.run(Self.addAttempt) {
                $0.int(attempt.place.number)
                $0.text(step.name)
                $0.int(number)
                $0.instant(attempt.place.at)
                $0.int(attempt.event.number)
                $0.text(attempt.messageID)
                $0.int(attempt.number)
                $0.int(attempt.milliseconds)
                $0.text(attempt.outcome.rawValue)
                $0.int(attempt.status.map(Int64.init))
                $0.text(attempt.problem)
            }
        }
        for event in step.delivered {
            try connection.run(Self.removeParked) {
                $0.text(step.name)
                $0.int(event.number)
            }
        }
        for parked in step.parked {
            guard let number = try tables.number(of: parked.customer) else { continue }
            try connection.run(Self.addParked) {
                $0.text(step.name)
                $0.int(parked.event.number)
                $0.int(number)
                $0.text(parked.messageID)
                $0.instant(parked.since)
                $0.int(parked.attempts)
                $0.text(parked.problem)
            }
        }
        if let limit = step.forgetsBefore { try connection.run(Self.forgetAttempts) { $0.instant(limit) } }
    }
}

extension WebhookState {
    fileprivate init(_ row: inout RowReader) {
        let (queued, paused, reason) = (FeedPlace(row.int()), row.optionalInstant(), row.optionalText())
        self.init(queuedThrough: queued, pause: paused.map { Pause(at: $0, reason: reason ?? "") })
    }
}

extension WebhookQueue {
    fileprivate init(_ customer: CustomerID, _ row: inout RowReader) {
        let (delivered, queued, due) = (FeedPlace(row.int()), FeedPlace(row.int()), row.instant())
        let (failures, failing) = (Int(clamping: row.int()), row.optionalInstant())
        let (node, until) = (row.optionalText(), row.optionalInstant())
        var hold: Hold?
        if let node, let until { hold = Hold(node: node, until: until) }
        self.init(
            customer: customer, deliveredThrough: delivered, queuedThrough: queued, dueAt: due, failures: failures,
            failingSince: failing, hold: hold)
    }
}

extension WebhookAttempt {
    fileprivate init(_ row: inout RowReader, _ file: VaultFile) throws(VaultError) {
        let (number, webhook, customer) = (row.int(), row.text(), CustomerID(rawValue: row.text()))
        let (at, event, message, attempt) = (row.instant(), FeedPlace(row.int()), row.text(), row.int())
        let (milliseconds, word) = (row.int(), row.text())
        guard let outcome = Outcome(rawValue: word) else {
            throw file.corrupt("an attempt of a webhook with the unknown outcome '\(word)'")
        }
        self.init(
            webhook: webhook, place: Place(at: at, number: number), customer: customer, event: event,
            messageID: message, number: Int(clamping: attempt), milliseconds: milliseconds, outcome: outcome,
            status: row.optionalInt().map { Int(clamping: $0) }, problem: row.optionalText())
    }
}
