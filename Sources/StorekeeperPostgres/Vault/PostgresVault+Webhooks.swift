package import Storekeeper
import StorekeeperDurable

// A step about a webhook locks the rows of the queues that it changes. A step that also changes the state of the
// webhook first locks the row of the webhook, so that another such step waits before it reads the queues.
extension PostgresVault: WebhookVault {
    package var webhooks: (any WebhookVault)? { self }

    /// The maximum number of attempts of a step that the database rolls back because of a conflict with another step.
    private static let attempts = 8

    /// Changes the state of a webhook and the queues of some customers.
    package func changeWebhook<Outcome: Sendable>(
        _ name: String, of customers: [CustomerID], isWhole: Bool,
        _ body: @escaping @Sendable (inout WebhookStep) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome {
        let limit = storage.limit
        let result = try await asVault { () async throws(PostgresFailure) in
            var attempt = 1
            while true {
                do throws(PostgresFailure) {
                    return try await storage.pool.run { connection throws(PostgresFailure) in
                        try WebhookStatements.change(name, customers, isWhole, body, on: connection, within: limit)
                    }
                } catch {
                    guard error.isConcurrencyConflict, attempt < Self.attempts else { throw error }
                    attempt += 1
                }
            }
        }
        return try result.get()
    }

    /// Returns the state of a webhook.
    package func webhookState(of name: String) async throws(VaultError) -> WebhookState? {
        try await storage.list(WebhookStatements.readState, [.text(name)]) { row throws(PostgresFailure) in
            try WebhookState(&row)
        }.first
    }

    /// Returns a summary of each webhook that has a state in the vault, sorted by name.
    package func webhookSummaries() async throws(VaultError) -> [WebhookSummary] {
        try await storage.list(WebhookStatements.summaries, [.int(Int64(WebhookSummary.countLimit))]) {
            row throws(PostgresFailure) in
            let (name, state) = (try row.text(), try WebhookState(&row))
            return WebhookSummary(
                name: name, state: state, waiting: Int(clamping: try row.int()),
                failing: Int(clamping: try row.int()), failingSince: try row.optionalInstant(),
                parked: Int(clamping: try row.int()))
        }
    }

    /// Returns a page of the queues of a webhook, sorted by the instant at which each queue is due.
    package func webhookWakes(
        of name: String, after previous: WakeRow?, limit: Int
    ) async throws(VaultError) -> [WakeRow] {
        try await storage.list(
            WebhookStatements.pageOfWakes,
            [
                .text(name), .int(previous?.at.millisecondsSince1970 ?? .min), .text(previous?.customer.rawValue ?? ""),
                .int(Int64(limit)),
            ]
        ) { row throws(PostgresFailure) in try WebhookQueue(&row).wake }
    }

    /// Returns a page of attempts to deliver messages, beginning with the newest attempt.
    package func webhookAttempts(
        of name: String?, about customer: CustomerID?, before place: WebhookAttempt.Place?, limit: Int
    ) async throws(VaultError) -> [WebhookAttempt] {
        var arguments: [Argument] = [
            .text(name), .int(place?.at.millisecondsSince1970 ?? .max), .int(place?.number ?? .max), .int(Int64(limit)),
        ]
        if let customer { arguments.append(.bytes(RowID.of(customer))) }
        return try await storage.list(
            customer == nil ? WebhookStatements.attempts : WebhookStatements.attemptsOfCustomer, arguments
        ) { row throws(PostgresFailure) in try WebhookAttempt(&row) }
    }

    /// Returns a page of the parked messages of a webhook, beginning with the message about the oldest event.
    package func parkedWebhooks(
        of name: String, after place: FeedPlace, limit: Int
    ) async throws(VaultError) -> [ParkedWebhook] {
        try await storage.list(
            WebhookStatements.pageOfParked, [.text(name), .int(place.number), .int(Int64(limit))]
        ) { row throws(PostgresFailure) in
            ParkedWebhook(
                webhook: name, event: FeedPlace(try row.int()), customer: CustomerID(rawValue: try row.text()),
                messageID: try row.text(), since: try row.instant(), attempts: Int(clamping: try row.int()),
                problem: try row.optionalText())
        }
    }
}

/// The statements about webhooks.
enum WebhookStatements {
    private static let state = "SELECT queued, paused, pause_reason FROM storekeeper.webhook WHERE name = $1"
    static let readState = Statement(state)
    private static let lockState = Statement("\(state) FOR UPDATE")
    private static let writeState = Statement(
        """
        INSERT INTO storekeeper.webhook VALUES($1, $2, $3, $4) ON CONFLICT (name) DO UPDATE
        SET queued = excluded.queued, paused = excluded.paused, pause_reason = excluded.pause_reason
        """)
    private static let queueColumns = "name, delivered, queued, due, failures, failing, node, until"
    private static let lockQueues = Statement(
        """
        SELECT \(queueColumns) FROM storekeeper.webhook_queue WHERE webhook = $1 AND customer = ANY($2::bytea[])
        ORDER BY customer FOR UPDATE
        """)
    /// Writes queues, except for customers who were erased in the meantime.
    private static let writeQueues = Statement(
        """
        INSERT INTO storekeeper.webhook_queue(webhook, customer, \(queueColumns))
        SELECT $1, q.* FROM unnest($2::bytea[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[],
          $8::bigint[], $9::text[], $10::bigint[])
          AS q(id, name, delivered, queued, due, failures, failing, node, until)
        WHERE EXISTS (SELECT 1 FROM storekeeper.customer c WHERE c.id = q.id)
        ON CONFLICT (webhook, customer) DO UPDATE SET delivered = excluded.delivered, queued = excluded.queued,
          due = excluded.due, failures = excluded.failures, failing = excluded.failing, node = excluded.node,
          until = excluded.until
        """)
    private static let removeQueues = Statement(
        "DELETE FROM storekeeper.webhook_queue WHERE webhook = $1 AND customer = ANY($2::bytea[])")
    private static let addAttempt = Statement(
        """
        INSERT INTO storekeeper.webhook_attempt VALUES($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
        ON CONFLICT (number) DO NOTHING
        """)
    /// Deletes the records of at most two old attempts to deliver a message.
    ///
    /// The statement runs each time that an attempt is recorded, so that the table does not grow without limit.
    private static let forgetAttempts = Statement(
        """
        DELETE FROM storekeeper.webhook_attempt WHERE number IN (
          SELECT number FROM storekeeper.webhook_attempt WHERE at < $1 ORDER BY at, number LIMIT 2 FOR UPDATE SKIP LOCKED)
        """)
    private static let addParked = Statement(
        """
        INSERT INTO storekeeper.webhook_parked VALUES($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (webhook, event) DO UPDATE
        SET since = excluded.since, attempts = excluded.attempts, problem = excluded.problem
        """)
    private static let removeParked = Statement(
        "DELETE FROM storekeeper.webhook_parked WHERE webhook = $1 AND event = ANY($2::bigint[])")

    static let summaries = Statement(
        """
        SELECT name, queued, paused, pause_reason,
          (SELECT count(*) FROM (SELECT 1 FROM storekeeper.webhook_queue q WHERE q.webhook = w.name LIMIT $1) n),
          (SELECT count(*) FROM (
            SELECT 1 FROM storekeeper.webhook_queue q WHERE q.webhook = w.name AND failures > 0 LIMIT $1) n),
          (SELECT min(failing) FROM storekeeper.webhook_queue q WHERE q.webhook = w.name),
          (SELECT count(*) FROM (SELECT 1 FROM storekeeper.webhook_parked p WHERE p.webhook = w.name LIMIT $1) n)
        FROM storekeeper.webhook w ORDER BY name
        """)
    static let pageOfWakes = Statement(
        """
        SELECT \(queueColumns) FROM storekeeper.webhook_queue WHERE webhook = $1 AND (due, name) > ($2, $3)
        ORDER BY due, name LIMIT $4
        """)
    private static let selectAttempt = """
        SELECT number, webhook, name, at, event, message, attempt, milliseconds, outcome, status, problem
        FROM storekeeper.webhook_attempt WHERE ($1::text IS NULL OR webhook = $1) AND (at, number) < ($2, $3)
        """
    private static let attemptOrder = "ORDER BY at DESC, number DESC LIMIT $4"
    static let attempts = Statement("\(selectAttempt) \(attemptOrder)")
    static let attemptsOfCustomer = Statement("\(selectAttempt) AND customer = $5 \(attemptOrder)")
    static let pageOfParked = Statement(
        """
        SELECT event, name, message, since, attempts, problem FROM storekeeper.webhook_parked
        WHERE webhook = $1 AND event > $2 ORDER BY event LIMIT $3
        """)

    /// Runs a step in a transaction.
    ///
    /// - Returns: The outcome of the body, or the error that the body throws. After an error, nothing was written.
    static func change<Outcome>(
        _ name: String, _ customers: [CustomerID], _ isWhole: Bool,
        _ body: (inout WebhookStep) throws(VaultError) -> Outcome, on connection: Connection, within limit: Duration
    ) throws(PostgresFailure) -> Result<Outcome, VaultError> {
        do throws(PostgresFailure) {
            let found = try connection.run(
                [
                    Call(.begin), Call(isWhole ? lockState : readState, [.text(name)]),
                    Call(lockQueues, [.text(name), .bytes(customers.map { RowID.of($0) })]),
                ], within: limit)
            let state = try found[1].first { row throws(PostgresFailure) in try WebhookState(&row) }
            let queues = try found[2].map { row throws(PostgresFailure) in try WebhookQueue(&row) }
            var step = WebhookStep(name, state: state, queues: queues)
            let outcome: Result<Outcome, VaultError>
            do throws(VaultError) { outcome = .success(try body(&step)) } catch { outcome = .failure(error) }
            guard case .success = outcome else {
                _ = try connection.run(.rollback, within: limit)
                return outcome
            }
            _ = try connection.run(calls(step, isWhole) + [Call(.commit)], within: limit)
            return outcome
        } catch {
            if connection.isOpen { _ = try? connection.run(.rollback, within: limit) }
            throw error
        }
    }

    private static func calls(_ step: WebhookStep, _ isWhole: Bool) -> [Call] {
        var calls: [Call] = []
        if isWhole, let state = step.changedState {
            calls.append(
                Call(
                    writeState,
                    [
                        .text(step.name), .int(state.queuedThrough.number), .instant(state.pause?.at),
                        .text(state.pause?.reason),
                    ]))
        }
        let queues = step.changedQueues
        if !queues.isEmpty {
            calls.append(
                Call(
                    writeQueues,
                    [
                        .text(step.name), .bytes(queues.map { RowID.of($0.customer) }),
                        .texts(queues.map(\.customer.rawValue)), .ints(queues.map(\.deliveredThrough.number)),
                        .ints(queues.map(\.queuedThrough.number)),
                        .ints(queues.map(\.dueAt.millisecondsSince1970)), .ints(queues.map { Int64($0.failures) }),
                        .ints(queues.map { $0.failingSince?.millisecondsSince1970 }),
                        .texts(queues.map { $0.hold?.node }),
                        .ints(queues.map { $0.hold?.until.millisecondsSince1970 }),
                    ]))
        }
        if !step.emptied.isEmpty {
            calls.append(Call(removeQueues, [.text(step.name), .bytes(step.emptied.map { RowID.of($0) })]))
        }
        return calls + logCalls(step)
    }

    private static func logCalls(_ step: WebhookStep) -> [Call] {
        var calls = step.attempts.map { attempt in
            Call(
                addAttempt,
                [
                    .int(attempt.place.number), .text(step.name), .bytes(RowID.of(attempt.customer)),
                    .text(attempt.customer.rawValue), .instant(attempt.place.at), .int(attempt.event.number),
                    .text(attempt.messageID), .int(Int64(attempt.number)), .int(attempt.milliseconds),
                    .text(attempt.outcome.rawValue), .int(attempt.status.map(Int64.init)), .text(attempt.problem),
                ])
        }
        if !step.delivered.isEmpty {
            calls.append(Call(removeParked, [.text(step.name), .ints(step.delivered.map(\.number))]))
        }
        for parked in step.parked {
            calls.append(
                Call(
                    addParked,
                    [
                        .text(step.name), .int(parked.event.number), .bytes(RowID.of(parked.customer)),
                        .text(parked.customer.rawValue), .text(parked.messageID), .instant(parked.since),
                        .int(Int64(parked.attempts)), .text(parked.problem),
                    ]))
        }
        if let limit = step.forgetsBefore { calls.append(Call(forgetAttempts, [.instant(limit)])) }
        return calls
    }
}

extension WebhookState {
    fileprivate init(_ row: inout RowReader) throws(PostgresFailure) {
        let (queued, paused) = (FeedPlace(try row.int()), try row.optionalInstant())
        let reason = try row.optionalText()
        self.init(queuedThrough: queued, pause: paused.map { Pause(at: $0, reason: reason ?? "") })
    }
}

extension WebhookQueue {
    fileprivate init(_ row: inout RowReader) throws(PostgresFailure) {
        let (customer, delivered) = (CustomerID(rawValue: try row.text()), FeedPlace(try row.int()))
        let (queued, due) = (FeedPlace(try row.int()), try row.instant())
        let (failures, failing) = (Int(clamping: try row.int()), try row.optionalInstant())
        let (node, until) = (try row.optionalText(), try row.optionalInstant())
        var hold: Hold?
        if let node, let until { hold = Hold(node: node, until: until) }
        self.init(
            customer: customer, deliveredThrough: delivered, queuedThrough: queued, dueAt: due, failures: failures,
            failingSince: failing, hold: hold)
    }
}

extension WebhookAttempt {
    fileprivate init(_ row: inout RowReader) throws(PostgresFailure) {
        let (number, webhook, customer) = (try row.int(), try row.text(), CustomerID(rawValue: try row.text()))
        let (at, event, message) = (try row.instant(), FeedPlace(try row.int()), try row.text())
        let (attempt, milliseconds, word) = (try row.int(), try row.int(), try row.text())
        guard let outcome = Outcome(rawValue: word) else {
            throw .damaged("an attempt of a webhook with the unknown outcome '\(word)'")
        }
        self.init(
            webhook: webhook, place: Place(at: at, number: number), customer: customer, event: event,
            messageID: message, number: Int(clamping: attempt), milliseconds: milliseconds, outcome: outcome,
            status: try row.optionalInt().map { Int(clamping: $0) }, problem: try row.optionalText())
    }
}
