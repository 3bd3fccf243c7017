import Storekeeper
import StorekeeperTesting
import Testing

@testable import StorekeeperCompanion

/// Tests of the requests about webhooks.
@Suite struct CompanionWebhooksTests {
    @Test("Attempts are listed page by page, and parked messages are posted again")
    func log() async throws {
        let shop = try await CompanionShop()
        try await shop.step("buy gold.monthly by anna")
        try await shop.ingest("anna")
        try await shop.parkWebhook("billing")
        let events = try await shop.vault.events(after: .start, of: nil, limit: 10)
        let ids = events.prefix(2).map { FeedCursor(after: $0).description }
        var (found, next) = ([String](), String?.some(""))
        while let place = next {
            let more = place.isEmpty ? "" : "&before=\(place)"
            let answer = try await shop.ask("GET", "/v1/webhooks/billing/attempts?limit=1&customer=anna\(more)")
            #expect(answer.status == 200, "\(answer.text)")
            found += answer.document?["attempts"]?.array?.compactMap { $0.object?["message"]?.string } ?? []
            next = answer.document?["next"]?.string
        }
        #expect(found == ids.reversed())
        let none = try await shop.ask("GET", "/v1/webhooks/billing/attempts?customer=bert")
        #expect(none.text == #"{"attempts":[]}"#)
        let parked = try await shop.ask("GET", "/v1/webhooks/billing/parked?limit=1")
        #expect(parked.document?["parked"]?.array?.first { _ in true }?.object?["message"]?.string == ids[0])
        let after = try #require(parked.document?["next"]?.int64)
        let rest = try await shop.ask("GET", "/v1/webhooks/billing/parked?after=\(after)")
        #expect(rest.document?["parked"]?.array?.first { _ in true }?.object?["message"]?.string == ids[1])
        let replay = try await shop.ask("POST", "/v1/webhooks/billing/replay", body: #"{"parked":true}"#)
        #expect(replay.text == #"{"messages":2,"webhook":"billing"}"#)
        let wakes = try await shop.vault.webhookWakes(of: "billing", after: nil, limit: 10)
        #expect(wakes.map(\.customer) == ["anna"])
        let all = try await shop.ask("POST", "/v1/webhooks/billing/replay", body: #"{"after":"\#(ids[0])"}"#)
        #expect(all.text == #"{"after":\#(events[0].place.number),"webhook":"billing"}"#)
        #expect(try await shop.vault.webhookState(of: "billing")?.queuedThrough == events[0].place)
        let list = try await shop.ask("GET", "/v1/webhooks")
        #expect(list.document?["webhooks"]?.array?.first { _ in true }?.object?["parked"]?.int64 == 2)
        let resumed = try await shop.ask("POST", "/v1/webhooks/billing/resume")
        #expect(resumed.text == #"{"resumed":false,"webhook":"billing"}"#)
    }

    @Test(
        "Requests that are not clear are refused",
        arguments: [
            ("POST", "billing/replay", #"{}"#, 400), ("POST", "billing/replay", #"{"after":"0","parked":true}"#, 400),
            ("POST", "billing/replay", #"{"parked":false}"#, 400),
            ("POST", "billing/replay", #"{"customer":"a"}"#, 400),
            ("POST", "billing/replay", #"{"parked":true,"customer":"a"}"#, 400),
            ("POST", "billing/replay", #"{"after":"x"}"#, 400), ("POST", "billing/replay", #"{"after":"99"}"#, 410),
            ("POST", "other/replay", #"{"parked":true}"#, 404), ("POST", "other/replay", #"{"after":"0"}"#, 404),
            ("POST", "other/resume", nil, 404), ("GET", "other/attempts", nil, 404),
            ("GET", "billing/attempts?before=x", nil, 400), ("GET", "billing/attempts?before=1--1", nil, 400),
            ("GET", "billing/attempts?limit=0", nil, 400), ("GET", "billing/parked?after=-1", nil, 400),
        ] as [(String, String, String?, Int)])
    func refused(_ method: String, _ path: String, _ body: String?, _ status: Int) async throws {
        let shop = try await CompanionShop()
        try await shop.vault.changeWebhook("billing", of: [], isWhole: true) { step in step.begin(after: .start) }
        let answer = try await shop.ask(method, "/v1/webhooks/\(path)", body: body)
        #expect(answer.status == status, "\(answer.text)")
        if status == 404 { #expect(answer.problem == "unknownWebhook") }
        let other = try await shop.ask(method, "/v1/webhooks/\(path)", as: .desk, body: body)
        #expect(other.status == 403)
    }
}

extension CompanionShop {
    /// Registers a webhook, and parks the messages about the first two events of anna.
    func parkWebhook(_ name: String) async throws {
        let events = try await vault.events(after: .start, of: "anna", limit: 2)
        try #require(events.count == 2)
        let now = Instant.day(400)
        try await vault.changeWebhook(name, of: ["anna"], isWhole: true) { step in
            step.begin(after: .start)
            _ = step.queue(events.map { (customer: $0.customer, place: $0.place) }, after: .start, at: now)
            let lease = WakeLease(node: "a")
            var queue = step.take(["anna"], lease, at: now).first
            for (number, event) in events.enumerated() {
                guard let present = queue else { return }
                let attempt = WebhookAttempt(
                    webhook: name, place: WebhookAttempt.Place(at: now, number: Int64(number)), customer: "anna",
                    event: event.place, messageID: FeedCursor(after: event).description, number: 7, milliseconds: 12,
                    outcome: .parked, status: 500, problem: "the receiver answered with status 500")
                queue = step.record(attempt, of: present, through: event.place, as: .parked, lease, at: now)
            }
        }
    }
}
