package import Storekeeper

/// The commands about webhooks, for the service and the command line.
package struct WebhookCommands: Sendable {
    private let vault: any TransactionalVault

    /// Creates the commands for a vault.
    package init(_ vault: any TransactionalVault) { self.vault = vault }

    /// The reason why a command is refused.
    package enum Refusal: Error, Hashable, Sendable {
        /// The vault does not have the webhook; `known` names its webhooks.
        case unknownWebhook(known: [String])
        /// The vault does not have the event of the cursor; `newest` is the newest cursor.
        case cursorGone(newest: String)
    }

    /// Returns the webhooks of the vault.
    package func summaries() async throws(VaultError) -> [WebhookSummary] { try await vault.webhookSummaries() }

    /// Throws ``Refusal/unknownWebhook(known:)`` if the vault does not have a webhook of this name.
    package func check(_ name: String) async throws {
        guard try await vault.webhookState(of: name) == nil else { return }
        throw Refusal.unknownWebhook(known: try await vault.webhookSummaries().map(\.name))
    }

    /// Returns attempts to deliver messages, the newest first, and the position at which the next page begins.
    package func attempts(
        of name: String?, about customer: CustomerID?, before place: WebhookAttempt.Place?, limit: Int
    ) async throws -> (rows: [WebhookAttempt], next: WebhookAttempt.Place?) {
        if let name { try await check(name) }
        let rows = try await vault.webhookAttempts(of: name, about: customer, before: place, limit: limit)
        return (rows, rows.count == limit ? rows.last?.place : nil)
    }

    /// Returns parked messages, oldest event first, and the position at which the next page begins.
    package func parked(
        of name: String, after place: FeedPlace, limit: Int
    ) async throws -> (rows: [ParkedWebhook], next: FeedPlace?) {
        try await check(name)
        let rows = try await vault.parkedWebhooks(of: name, after: place, limit: limit)
        return (rows, rows.count == limit ? rows.last?.event : nil)
    }

    /// Requests that all events after a cursor are delivered again; the events of each customer are delivered in order.
    ///
    /// - Parameters:
    ///   - customer: The customer; `nil` for all.
    ///   - cursor: The id of an event, as in the stream of events.
    /// - Returns: The place in the feed after which events are delivered again.
    package func replay(
        _ name: String, of customer: CustomerID?, after cursor: FeedCursor, at now: Instant
    ) async throws -> FeedPlace {
        try await check(name)
        guard try await cursor.exists(in: vault) else {
            throw Refusal.cursorGone(newest: try await FeedCursor.newest(in: vault).description)
        }
        let place = cursor.place
        if let customer {
            try await vault.changeWebhook(name, of: [customer], isWhole: true) { step in
                step.replay(customer, after: place, at: now)
            }
        } else {
            try await vault.changeWebhook(name, of: [], isWhole: true) { step in step.replay(after: place) }
        }
        return place
    }

    /// Requests that parked messages are delivered again, each followed by the later events of its customer.
    ///
    /// - Returns: The number of parked messages.
    package func replayParked(_ name: String, at now: Instant) async throws -> Int {
        try await check(name)
        var (count, place) = (0, FeedPlace.start)
        var seen: Set<CustomerID> = []
        while true {
            let page = try await vault.parkedWebhooks(of: name, after: place, limit: 500)
            guard let last = page.last else { return count }
            count += page.count
            place = last.event
            // The replay of each customer begins at the oldest parked message, so that the customer's other messages
            // follow.
            let first = page.filter { seen.insert($0.customer).inserted }
            try await vault.changeWebhook(name, of: first.map(\.customer), isWhole: true) { step in
                for message in first {
                    step.replay(message.customer, after: FeedPlace(message.event.number - 1), at: now)
                }
            }
        }
    }

    /// Requests that failed messages are posted again now, instead of after their waits.
    ///
    /// - Returns: The number of customers with a failed message.
    package func retry(_ name: String, at now: Instant) async throws -> Int {
        try await check(name)
        return try await vault.retryWebhook(name, at: now)
    }

    /// Resumes the deliveries to a receiver that answered with status 410.
    ///
    /// - Returns: Whether the deliveries had been stopped.
    package func resume(_ name: String) async throws -> Bool {
        try await check(name)
        return try await vault.changeWebhook(name, of: [], isWhole: true) { step in step.resume() }
    }
}

extension WebhookSummary {
    /// Returns the summary as a JSON object.
    ///
    /// - Parameter url: The URL of the webhook, if the configuration has it.
    package func json(url: String?) -> JSONText {
        .object([
            "webhook": .string(name), "url": .text(url), "queuedThrough": .integer(state.queuedThrough.number),
            "waiting": .whole(waiting), "failing": .whole(failing), "failingSince": .time(failingSince),
            "parked": .whole(parked), "stoppedAt": .time(state.pause?.at), "reason": .text(state.pause?.reason),
        ])
    }
}

extension WebhookAttempt {
    /// The attempt as a JSON object.
    package var json: JSONText {
        .object([
            "webhook": .string(webhook), "at": .time(place.at), "message": .string(messageID),
            "customer": .string(customer.rawValue), "attempt": .whole(number), "outcome": .string(outcome.rawValue),
            "status": .whole(status), "problem": .text(problem), "milliseconds": .integer(milliseconds),
        ])
    }
}

extension ParkedWebhook {
    /// The parked message as a JSON object.
    package var json: JSONText {
        .object([
            "webhook": .string(webhook), "message": .string(messageID), "customer": .string(customer.rawValue),
            "since": .time(since), "attempts": .whole(attempts), "problem": .text(problem),
        ])
    }
}
