package import Storekeeper

/// The commands about webhooks, for the service and the command line.
package struct WebhookCommands: Sendable {
    private let vault: any WebhookVault

    /// Creates the commands for a vault.
    ///
    /// - Throws: ``VaultError`` with `invalidRequest` if the vault does not support webhooks.
    package init(_ vault: any Vault) throws(VaultError) {
        guard let webhooks = vault.features.webhooks else {
            throw VaultError(.invalidRequest, "this vault does not support webhooks")
        }
        self.vault = webhooks
    }

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

/// The webhooks of a vault, with their URLs.
package struct WebhookList: JSONShaped {
    private let webhooks: [Row]

    /// Creates the list.
    ///
    /// - Parameter urls: The URLs that the configuration has, by the name of the webhook.
    package init(_ summaries: [WebhookSummary], urls: [String: String]) {
        webhooks = summaries.map { Row(summary: $0, url: urls[$0.name]) }
    }

    package static let shape = JSONShape<Self>("Webhooks", [.member("webhooks") { $0.webhooks }])

    private struct Row: JSONShaped {
        let summary: WebhookSummary
        let url: String?

        static let shape = JSONShape<Self>(
            "Webhook",
            [
                .member("webhook", "The name.") { $0.summary.name },
                .member("url", "Absent if this process does not post to it.") { $0.url },
                .member("queuedThrough", "The last event that was queued.") { $0.summary.state.queuedThrough.number },
                .member("waiting", "Customers with undelivered events, at most 10,000.") { $0.summary.waiting },
                .member("failing", "Customers whose next event has failed, at most 10,000.") { $0.summary.failing },
                .member("failingSince") { $0.summary.failingSince },
                .member("parked", "Messages that were given up, at most 10,000.") { $0.summary.parked },
                .member("stoppedAt") { $0.summary.state.pause?.at },
                .member("reason", "Why nothing is posted.") { $0.summary.state.pause?.reason },
            ])
    }
}

extension WebhookAttempt: JSONShaped {
    /// The attempt as a JSON object.
    package static let shape = JSONShape<WebhookAttempt>(
        "WebhookAttempt",
        [
            .member("webhook") { $0.webhook }, .member("at") { $0.place.at },
            .member("message", as: FeedCursor.schema) { $0.messageID }, .member("customer") { $0.customer.rawValue },
            .member("attempt", "1 for the first.") { $0.number },
            .member("outcome", as: .words(of: Outcome.self)) { $0.outcome.rawValue },
            .member("status", "The HTTP status; absent without a response.") { $0.status },
            .member("problem") { $0.problem }, .member("milliseconds") { $0.milliseconds },
        ])
}

extension ParkedWebhook: JSONShaped {
    /// The parked message as a JSON object.
    package static let shape = JSONShape<ParkedWebhook>(
        "ParkedWebhook",
        [
            .member("webhook") { $0.webhook }, .member("message", as: FeedCursor.schema) { $0.messageID },
            .member("customer") { $0.customer.rawValue }, .member("since") { $0.since },
            .member("attempts") { $0.attempts }, .member("problem") { $0.problem },
        ])
}
