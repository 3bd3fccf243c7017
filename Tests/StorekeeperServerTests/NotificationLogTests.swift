import Storekeeper
import StorekeeperSimulator
import StorekeeperTesting
import Synchronization
import Testing

@testable import StorekeeperCompanion
@testable import StorekeeperLocalStore
@testable import StorekeeperPages

/// A webhook with scripted results that records the notifications that it receives, and their times.
final class ScriptedWebhook: Webhook {
    private struct State {
        var results: [SendAttempt.Result]
        var bodies: [[UInt8]] = []
    }

    private let state: Mutex<State>
    /// The status, the time and the body of each response; `nil` for responses without them.
    private let details: (status: Int, milliseconds: Int, body: String)?

    /// - Parameter results: The results of the first notifications, in order. All later notifications succeed.
    init(_ results: [SendAttempt.Result] = [], details: (status: Int, milliseconds: Int, body: String)? = nil) {
        state = Mutex(State(results: results))
        self.details = details
    }

    var bodies: [[UInt8]] { state.withLock { $0.bodies } }

    func send(_ body: [UInt8]) async -> WebhookResponse {
        state.withLock { state in
            state.bodies.append(body)
            var response = WebhookResponse(state.results.isEmpty ? .success : state.results.removeFirst())
            if let details {
                (response.status, response.milliseconds, response.body) = (
                    details.status, details.milliseconds, details.body
                )
            }
            return response
        }
    }
}

@Suite struct NotificationLogTests {
    private static let hour: Int64 = 3_600_000

    @Test("A failed notification is retried after 1, 12, 24, 48 and 72 hours of simulated time, then no more")
    func retries() async throws {
        let webhook = ScriptedWebhook(Array(repeating: .timedOut, count: 10))
        let served = try await ServedStore(webhook: webhook) { $0.retriesNotifications = true }
        try await served.step("buy coins.100 by anna")
        let id = try #require(served.store.happenings().last { $0.notification != nil }?.id)
        let begun = try #require(served.local.outbox.attempts(of: id).first?.at)
        // The clock advances in one step, and each attempt is still recorded at its own instant.
        try await served.step("advance 30 days")
        let hours = served.local.outbox.attempts(of: id).map { $0.at.milliseconds(since: begun) / Self.hour }
        #expect(hours == [0, 1, 13, 37, 85, 157])
        #expect(Set(webhook.bodies.map(String.init(decoding:)).compactMap(Self.uuid)).count == 1)
    }

    @Test("The sandbox sends once, and production retries", arguments: [AppStore.Environment.sandbox, .production])
    func environments(_ environment: AppStore.Environment) async throws {
        let webhook = ScriptedWebhook([.unsuccessfulStatus])
        let served = try await ServedStore(environment: environment, webhook: webhook)
        try await served.step("buy coins.100 by anna")
        try await served.step("advance 10 days")
        let id = try #require(served.store.happenings().last { $0.notification != nil }?.id)
        #expect(
            served.local.outbox.attempts(of: id).map(\.result)
                == (environment == .production ? [.unsuccessfulStatus, .success] : [.unsuccessfulStatus]))
    }

    @Test("Attempts are made in order of time, whichever fail", arguments: 0..<20)
    func order(_ seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let results = (0..<60).map { _ in random.chance(40) ? SendAttempt.Result.socketIssue : .success }
        let served = try await ServedStore(webhook: ScriptedWebhook(results)) { $0.retriesNotifications = true }
        for _ in 1...20 {
            try await served.step(
                random.chance(50) ? "buy coins.100 by anna" : "advance \(random.number(in: 1...40)) hours")
        }
        try await served.step("advance 60 days")
        for happening in served.store.happenings() where happening.notification != nil {
            let attempts = served.local.outbox.attempts(of: happening.id)
            #expect(attempts.first?.at == happening.at, "seed \(seed)")
            #expect(attempts.last?.result == .success || attempts.count == 6, "seed \(seed)")
            #expect(attempts.dropLast().allSatisfy { $0.result != .success }, "seed \(seed)")
            for (attempt, (next, hours)) in zip(attempts, zip(attempts.dropFirst(), NotificationLog.retryHours)) {
                #expect(next.at.milliseconds(since: attempt.at) == hours * Self.hour, "seed \(seed)")
            }
        }
        #expect(served.local.outbox.nextDue == nil, "seed \(seed)")
    }

    @Test("Notifications from before the store was served are not sent")
    func before() async throws {
        let served = try await ServedStore()
        try await served.step("buy silver.monthly by anna")
        #expect(served.store.happenings(after: 0).contains { $0.notification != nil })
        let webhook = ScriptedWebhook()
        let again = await LocalAppStore(store: served.store, scenario: served.scenario, webhook: webhook)
        try await again.outbox.sendDue()
        #expect(webhook.bodies.isEmpty)
    }

    @Test("The log shows status, time and body of each response, and sends a notification again")
    func resend() async throws {
        let webhook = ScriptedWebhook([.unsuccessfulStatus], details: (503, 12, "try <later>"))
        let served = try await ServedStore(webhook: webhook) { $0.retriesNotifications = true }
        try await served.step("buy coins.100 by anna")
        let id = try #require(served.store.happenings().last { $0.notification != nil }?.id)
        let client = PageClient(local: served.local)
        let address = "/?view=notifications&selected=\(id)"
        let page = await client.get(address)
        let words = "UNSUCCESSFUL_HTTP_RESPONSE_CODE, status 503, 12 ms"
        #expect(page.text.ranges(of: words).count == 2)
        #expect(page.text.contains("try &lt;later&gt;"))

        let form = try #require(page.form("resend-form"))
        #expect(await client.send(form, to: "/page/notifications").status == 303)
        #expect(
            webhook.bodies.count == 2 && Set(webhook.bodies.compactMap { Self.uuid(String(decoding: $0)) }).count == 1)
        #expect(served.local.outbox.attempts(of: id).map(\.result) == [.unsuccessfulStatus, .success])
        // After a success, the planned retry is not carried out.
        try await served.step("advance 1 day")
        #expect(webhook.bodies.count == 2 && served.local.outbox.nextDue == nil)
        #expect(await client.send(form, ["happening": "4711"], to: "/page/notifications").status == 422)
    }

    @Test("A notification that a fault drops is marked, and can be sent again")
    func dropped() async throws {
        let webhook = ScriptedWebhook()
        let served = try await ServedStore(webhook: webhook)
        try await served.step("fault notifications how dropped times 1")
        try await served.step("buy coins.100 by anna")
        let id = try #require(served.store.happenings().last { $0.notification != nil }?.id)
        let client = PageClient(local: served.local)
        let address = "/?view=notifications&selected=\(id)"
        let page = await client.get(address)
        #expect(PageClient.words(page.text).contains("dropped by your fault") && webhook.bodies.isEmpty)
        let version = await client.get("/page/version").text
        let form = try #require(page.form("resend-form"))
        #expect(await client.send(form, to: "/page/notifications").status == 303)
        #expect(webhook.bodies.count == 1)
        #expect(await client.get("/page/version").text != version)
    }

    @Test(
        "An attempt in a journal keeps the status and the time of its response",
        arguments: ["# sent 3 1767225600000 SUCCESS", "# sent 3 1767225600000 UNSUCCESSFUL_HTTP_RESPONSE_CODE 503 12"])
    func record(_ line: String) throws {
        #expect(try #require(AttemptRecord(line: line)).line == line)
    }

    private static func uuid(_ body: String) -> String? {
        guard let document = try? JSONReader().read(Array(body.utf8)) else { return nil }
        return document.root["signedPayload"]?.string.flatMap(ServedStore.Answer.payload)?["notificationUUID"]?.string
    }
}

extension String {
    fileprivate init(decoding bytes: [UInt8]) { self.init(decoding: bytes, as: UTF8.self) }
}
