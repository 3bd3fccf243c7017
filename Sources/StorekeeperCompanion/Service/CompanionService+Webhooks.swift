import CoreMetrics
import Hummingbird
import Storekeeper
import StorekeeperPages

/// The routes that show the deliveries of webhooks, and that deliver events again.
extension CompanionService {
    /// Responds with all webhooks of the vault.
    func webhooks(_ request: CompanionRequest) async throws -> WebhookList {
        let urls = Dictionary(webhookSender?.endpoints.map { ($0.name, $0.url) } ?? []) { first, _ in first }
        return WebhookList(try await WebhookCommands(pool.vault).summaries(), urls: urls)
    }

    /// Responds with a page of delivery attempts, the newest first.
    func webhookAttempts(_ request: CompanionRequest) async throws -> WebhookAttemptPage {
        let customer = try request.parameter("customer").map { text throws(Problem) in
            try CompanionRequest.check(text, "customer")
            return CustomerID(rawValue: text)
        }
        let before = try request.parameter("before").map { text throws(Problem) in
            guard let place = WebhookAttempt.Place(text) else {
                throw .badRequest("'before' is not a place in the log", "use 'next' of the page before")
            }
            return place
        }
        let limit = Int(try request.number(.limit) ?? 100)
        return try await aboutWebhook(request) { commands, name in
            let page = try await commands.attempts(of: name, about: customer, before: before, limit: limit)
            return WebhookAttemptPage(attempts: page.rows, next: page.next)
        }
    }

    /// Responds with a page of the messages whose delivery was given up.
    func parkedWebhooks(_ request: CompanionRequest) async throws -> ParkedWebhookPage {
        let place = FeedPlace(try request.number(.after) ?? 0)
        let limit = Int(try request.number(.limit) ?? 100)
        return try await aboutWebhook(request) { commands, name in
            let page = try await commands.parked(of: name, after: place, limit: limit)
            return ParkedWebhookPage(parked: page.rows, next: page.next)
        }
    }

    /// Delivers events again: either all events after a cursor, or the events whose delivery was given up.
    func replayWebhook(_ request: CompanionRequest) async throws -> WebhookReplayed {
        let object = try await request.object()
        let customer = try CompanionRequest.text("customer", in: object).map(CustomerID.init(rawValue:))
        let after = try CompanionRequest.text("after", in: object)
        let isParked = object["parked"] != nil
        guard (after == nil) == isParked, !isParked || (object["parked"]?.bool == true && customer == nil) else {
            throw Problem.badRequest(
                "neither the events after a cursor nor the parked ones are requested",
                "give either 'after', with or without 'customer', or 'parked': true")
        }
        let now = request.now
        guard let after else {
            return try await changeWebhook(request) { commands, name in
                WebhookReplayed(webhook: name, messages: try await commands.replayParked(name, at: now))
            }
        }
        guard let cursor = FeedCursor(after) else {
            throw Problem.badRequest("the cursor is invalid", "send the id of an event, or 0 for all events")
        }
        return try await changeWebhook(request) { commands, name in
            WebhookReplayed(
                webhook: name, after: try await commands.replay(name, of: customer, after: cursor, at: now))
        }
    }

    /// Resumes the deliveries to a receiver that stopped them with status 410.
    func resumeWebhook(_ request: CompanionRequest) async throws -> WebhookResumed {
        return try await changeWebhook(request) { commands, name in
            WebhookResumed(webhook: name, isResumed: try await commands.resume(name))
        }
    }

    private func changeWebhook<Answer>(
        _ request: CompanionRequest, _ work: (WebhookCommands, String) async throws -> Answer
    ) async throws -> Answer {
        let response = try await aboutWebhook(request) { commands, name in
            try await written { try await work(commands, name) }
        }
        webhookSender?.wake()
        return response
    }

    private func aboutWebhook<Answer>(
        _ request: CompanionRequest, _ work: (WebhookCommands, String) async throws -> Answer
    ) async throws -> Answer {
        let name = try request.name("webhook")
        do {
            return try await work(WebhookCommands(pool.vault), name)
        } catch let refusal as WebhookCommands.Refusal {
            switch refusal {
            case .unknownWebhook(let known):
                throw Problem(
                    404, "unknownWebhook", "Unknown webhook",
                    "the vault knows no webhook '\(name.prefix(64))'; it knows \(known.isEmpty ? "none" : known.joined(separator: ", "))"
                )
            case .cursorGone(let newest): throw Problem.cursorGone(newest: newest)
            }
        }
    }

    /// Records in the metrics the messages of each webhook by state, and whether its deliveries are stopped.
    func countWebhooks() async throws {
        guard webhookSender != nil else { return }
        for summary in try await WebhookCommands(pool.vault).summaries() {
            for (label, value) in [
                ("waiting", summary.waiting), ("failing", summary.failing), ("parked", summary.parked),
                ("stopped", summary.state.pause == nil ? 0 : 1),
            ] {
                Gauge(label: "storekeeper.webhook.\(label)", dimensions: [("webhook", summary.name)])
                    .record(Double(value))
            }
        }
    }
}

/// A page of attempts to deliver messages.
struct WebhookAttemptPage: JSONShaped {
    fileprivate let attempts: [WebhookAttempt]
    fileprivate let next: WebhookAttempt.Place?

    static let shape = JSONShape<Self>(
        "WebhookAttemptPage",
        [
            .member("attempts") { $0.attempts },
            .member("next", "The value of 'before' that requests the next page; absent on the last page.") {
                $0.next?.description
            },
        ])
}

/// A page of messages that were given up.
struct ParkedWebhookPage: JSONShaped {
    fileprivate let parked: [ParkedWebhook]
    fileprivate let next: FeedPlace?

    static let shape = JSONShape<Self>(
        "ParkedWebhookPage",
        [
            .member("parked") { $0.parked },
            .member("next", "The value of 'after' that requests the next page; absent on the last page.") {
                $0.next?.number
            },
        ])
}

/// The result of a request to deliver events again.
struct WebhookReplayed: JSONShaped {
    fileprivate let webhook: String
    fileprivate var after: FeedPlace?
    fileprivate var messages: Int?

    static let shape = JSONShape<Self>(
        "WebhookReplayed",
        [
            .member("webhook") { $0.webhook }, .member("after", "The number of the event.") { $0.after?.number },
            .member("messages", "How many were given up.") { $0.messages },
        ])
}

/// The result of a request to resume a webhook.
struct WebhookResumed: JSONShaped {
    fileprivate let webhook: String
    fileprivate let isResumed: Bool

    static let shape = JSONShape<Self>(
        "WebhookResumed",
        [
            .member("webhook") { $0.webhook }, .member("resumed", "False if nothing was stopped.") { $0.isResumed },
        ])
}
