import CoreMetrics
import Hummingbird
import Storekeeper
import StorekeeperPages

/// The routes that show the deliveries of webhooks, and that deliver events again.
extension CompanionService {
    /// Responds with all webhooks of the vault.
    func webhooks(_ request: CompanionRequest) async throws -> Response {
        let urls = Dictionary(configuration.webhooks?.endpoints.map { ($0.name, $0.url) } ?? []) { first, _ in first }
        let rows = try await WebhookCommands(pool.vault).summaries()
        return Self.json(.object(["webhooks": .array(rows.map { $0.json(url: urls[$0.name]) })]))
    }

    /// Responds with a page of delivery attempts, the newest first.
    func webhookAttempts(_ request: CompanionRequest) async throws -> Response {
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
        let limit = Int(try number("limit", in: request, 1...1_000) ?? 100)
        return try await aboutWebhook(request) { commands, name in
            let page = try await commands.attempts(of: name, about: customer, before: before, limit: limit)
            return .object([
                "attempts": .array(page.rows.map(\.json)), "next": .text(page.next?.description),
            ])
        }
    }

    /// Responds with a page of the messages whose delivery was given up.
    func parkedWebhooks(_ request: CompanionRequest) async throws -> Response {
        let place = FeedPlace(try number("after", in: request, 0...Int64.max) ?? 0)
        let limit = Int(try number("limit", in: request, 1...1_000) ?? 100)
        return try await aboutWebhook(request) { commands, name in
            let page = try await commands.parked(of: name, after: place, limit: limit)
            return .object([
                "parked": .array(page.rows.map(\.json)), "next": page.next.map { .integer($0.number) } ?? .null,
            ])
        }
    }

    /// Delivers events again: either all events after a cursor, or the events whose delivery was given up.
    func replayWebhook(_ request: CompanionRequest) async throws -> Response {
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
                let count = try await commands.replayParked(name, at: now)
                return .object(["webhook": .string(name), "messages": .whole(count)])
            }
        }
        guard let cursor = FeedCursor(after) else {
            throw Problem.badRequest("the cursor is invalid", "send the id of an event, or 0 for all events")
        }
        return try await changeWebhook(request) { commands, name in
            let place = try await commands.replay(name, of: customer, after: cursor, at: now)
            return .object(["webhook": .string(name), "after": .integer(place.number)])
        }
    }

    /// Resumes the deliveries to a receiver that stopped them with status 410.
    func resumeWebhook(_ request: CompanionRequest) async throws -> Response {
        return try await changeWebhook(request) { commands, name in
            .object(["webhook": .string(name), "resumed": .bool(try await commands.resume(name))])
        }
    }

    private func changeWebhook(
        _ request: CompanionRequest, _ work: (WebhookCommands, String) async throws -> JSONText
    ) async throws -> Response {
        let response = try await aboutWebhook(request) { commands, name in
            try await written { try await work(commands, name) }
        }
        configuration.webhooks?.wake()
        return response
    }

    private func aboutWebhook(
        _ request: CompanionRequest, _ work: (WebhookCommands, String) async throws -> JSONText
    ) async throws -> Response {
        let name = try request.name("webhook")
        do {
            return Self.json(try await work(WebhookCommands(pool.vault), name))
        } catch let refusal as WebhookCommands.Refusal {
            switch refusal {
            case .unknownWebhook(let known):
                throw Problem(
                    .unknownWebhook,
                    "the vault knows no webhook '\(name.prefix(64))'; it knows \(known.isEmpty ? "none" : known.joined(separator: ", "))"
                )
            case .cursorGone(let newest): throw Problem.cursorGone(newest: newest)
            }
        }
    }

    /// Records in the metrics the messages of each webhook by state, and whether its deliveries are stopped.
    func countWebhooks() async throws {
        guard configuration.webhooks != nil else { return }
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
