import AsyncHTTPClient
import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1
import Storekeeper
import StorekeeperJWS
import StorekeeperSimulator
import StorekeeperTesting
import Testing

@testable import StorekeeperCompanion
@testable import StorekeeperLocalStore
@testable import StorekeeperPages

/// Tests that the faults of the local App Store occur exactly as they are set.
@Suite(.system) struct FaultTests {
    private static let history = "/inApps/v2/history/"

    private func shop(_ webhook: ScriptedWebhook? = nil) async throws -> (ServedStore, id: String) {
        let served = try await ServedStore(webhook: webhook)
        let id = try #require(try await served.step("buy coins.100 by anna"))
        return (served, id.rawValue)
    }

    @Test(
        "A request fails as often as the fault says, and with its error",
        arguments: [
            ("history how 404 times 2", 404, 4_040_002), ("history how 500 times 2", 500, 5_000_001),
            ("history how 503 times 2", 503, nil), ("history how 401 times 2", 401, nil),
            ("history how 429 times 2", 429, 4_290_000), ("any how 4040019 times 2", 404, 4_040_019),
            ("history how 4000006 times 2", 400, 4_000_006),
        ] as [(String, Int, Int64?)])
    func answers(_ fault: String, _ status: Int, _ code: Int64?) async throws {
        let (served, id) = try await shop()
        try await served.step("fault \(fault)")
        for _ in 1...2 {
            let answer = await served.ask("GET", Self.history + id)
            #expect(answer.status == status && answer.code == code)
            if status == 429 { #expect(answer.headers[.retryAfter] != nil) }
        }
        #expect(await served.ask("GET", Self.history + id).status == 200)
        #expect(served.local.current.faults.active.isEmpty)
    }

    @Test("Other requests and other apps succeed, and a refused request changes nothing")
    func others() async throws {
        let (served, id) = try await shop()
        try await served.step("fault app transaction how 4040019")
        try await served.step("fault finish how 500 times 1")
        #expect(await served.ask("GET", "/inApps/v1/transactions/appTransactions/\(id)").code == 4_040_019)
        #expect(await served.ask("GET", Self.history + id).status == 200)
        #expect(await served.ask("POST", "/inApps/v1/transactions/\(id)/finish").status == 500)
        #expect(served.store.transactions.first?.isFinished == false)
        #expect(await served.ask("POST", "/inApps/v1/transactions/\(id)/finish").status == 200)
        #expect(served.store.transactions.first?.isFinished == true)
        // The fault has an effect until all faults are ended.
        #expect(await served.ask("GET", "/inApps/v1/transactions/appTransactions/\(id)").code == 4_040_019)
        try await served.step("fault none")
        #expect(await served.ask("GET", "/inApps/v1/transactions/appTransactions/\(id)").status == 200)
    }

    @Test("Bodies are halved, cut and slow over HTTP, and whole again afterwards")
    func bodies() async throws {
        let (served, id) = try await shop()
        for step in [
            "fault history how half body times 1", "fault history how cut body times 1",
            "fault history how slow body span 300 milliseconds times 1",
        ] { try await served.step(step) }
        let token = served.token
        try await served.local.serving { url in
            let client = HTTPClient()
            func ask() async throws -> String {
                var request = HTTPClientRequest(url: "\(url)\(Self.history)\(id)")
                request.headers.add(name: "authorization", value: "Bearer \(token)")
                let response = try await client.execute(request, timeout: .seconds(60))
                return String(buffer: try await response.body.collect(upTo: 1 << 20))
            }
            func isJSON(_ text: String) -> Bool { (try? JSONReader().read(Array(text.utf8))) != nil }
            let half = try await ask()
            #expect(!half.isEmpty && !isJSON(half))
            await #expect(throws: (any Error).self) { try await ask() }
            let begun = ContinuousClock.now
            #expect(isJSON(try await ask()))
            #expect(ContinuousClock.now - begun >= .milliseconds(300))
            #expect(isJSON(try await ask()))
            try await client.shutdown()
        }
    }

    @Test("A mass extension is reported incomplete as often as the fault says")
    func extensions() async throws {
        let (served, _) = try await shop()
        // The subscription is in a paid period, because a free period cannot be extended.
        try await served.step("buy silver.monthly by anna")
        try await served.step("extend all silver.monthly days 7 request outage")
        try await served.step("fault mass extension status how incomplete times 1")
        let path = "/inApps/v1/subscriptions/extend/mass/silver.monthly/outage"
        let first = await served.ask("GET", path)
        #expect(first.document?["complete"]?.bool == false && first.document?["succeededCount"] == nil)
        let second = await served.ask("GET", path)
        #expect(second.document?["complete"]?.bool == true && second.document?["succeededCount"]?.int64 == 1)
    }

    // MARK: Notifications

    private static func payload(_ body: [UInt8]) throws -> (jws: String, id: String) {
        let jws = try #require(try JSONReader().read(body).root["signedPayload"]?.string)
        return (jws, try #require(ServedStore.Answer.payload(jws)?["notificationUUID"]?.string))
    }

    @Test("Notifications are dropped, sent twice and delayed, each the given number of times")
    func arrivals() async throws {
        let webhook = ScriptedWebhook()
        let served = try await ServedStore(webhook: webhook)
        for step in [
            "fault notifications how dropped times 1", "fault notifications how duplicated times 1",
            "fault notifications how delayed span 2 hours times 1",
        ] { try await served.step(step) }
        for _ in 1...4 { try await served.step("buy coins.100 by anna") }
        let ids = try served.store.happenings().filter { $0.notification != nil }.map {
            try #require(served.store.notificationID(of: $0.id)).uuidString.lowercased()
        }
        #expect(ids.count == 4)
        #expect(try webhook.bodies.map(Self.payload).map(\.id) == [ids[1], ids[1], ids[3]])
        try await served.step("advance 119 minutes")
        #expect(webhook.bodies.count == 3)
        try await served.step("advance 1 minute")
        #expect(try webhook.bodies.map(Self.payload).map(\.id) == [ids[1], ids[1], ids[3], ids[2]])
        let history = await served.ask(
            "POST", "/inApps/v1/notifications/history", body: #"{"startDate": 1767225600000, "endDate": 1799999999999}"#
        )
        let attempts = history.document?["notificationHistory"]?.array.map(Array.init)?.map {
            $0["sendAttempts"]?.array.map { Array($0).count } ?? -1
        }
        #expect(attempts == [0, 1, 1, 1])
    }

    @Test("Notifications arrive in another order, which the seed determines", arguments: [nil, 5])
    func order(_ times: Int?) async throws {
        var orders: Set<[Int]> = []
        for _ in 1...2 {
            let webhook = ScriptedWebhook()
            let served = try await ServedStore(webhook: webhook)
            try await served.step("fault notifications how reordered\(times.map { " times \($0)" } ?? "")")
            let count = times ?? 2
            for _ in 1..<count { try await served.step("buy coins.100 by anna") }
            #expect(webhook.bodies.isEmpty)
            try await served.step("buy coins.100 by anna")
            let ids = try served.store.happenings().filter { $0.notification != nil }.map {
                try #require(served.store.notificationID(of: $0.id)).uuidString.lowercased()
            }
            let order = try webhook.bodies.map(Self.payload).compactMap { ids.firstIndex(of: $0.id) }
            #expect(order.sorted() == Array(0..<count) && order != order.sorted())
            orders.insert(order)
        }
        #expect(orders.count == 1)
    }

    @Test("Delayed notifications are sent once faults are ended")
    func released() async throws {
        let webhook = ScriptedWebhook()
        let served = try await ServedStore(webhook: webhook)
        try await served.step("fault notifications how reordered times 3")
        try await served.step("buy coins.100 by anna")
        #expect(webhook.bodies.isEmpty)
        try await served.step("fault none")
        #expect(webhook.bodies.count == 1)
    }

    @Test(
        "A flawed notification is refused for its flaw, and the next one is accepted",
        arguments: [
            ("wrong signature", VerificationError.Code.invalidSignature), ("wrong bundle", .bundleMismatch),
            ("wrong environment", .environmentRefused),
        ])
    func flaws(_ how: String, _ code: VerificationError.Code) async throws {
        let webhook = ScriptedWebhook()
        let served = try await ServedStore(webhook: webhook)
        try await served.step("fault notifications how \(how) times 1")
        for _ in 1...2 { try await served.step("buy coins.100 by anna") }
        let verifier = JWSVerifier(
            JWSVerifier.Configuration(
                roots: [served.store.root], bundleID: ServedStore.bundleID, environments: [.sandbox]))
        let checked = try webhook.bodies.map { verifier.verify(try Self.payload($0).jws) }
        #expect(checked.map { $0.error?.code } == [code, nil])
    }

    // MARK: Stories

    @Test("A saved story contains its faults, and is parsed to the same story")
    func saved() async throws {
        let (served, _) = try await shop()
        let steps = [
            "fault history how 500 times 2", "fault notifications how delayed span 2 hours", "fault any how slow body",
            "fault none",
        ]
        for step in steps { try await served.step(step) }
        let text = served.local.current.saved.text
        let read = try Scenario(reading: text, file: "saved.yaml") { name in
            try #require(served.scenario.catalogFiles[name])
        }
        var runner = try await ScenarioRunner(read)
        #expect(try await runner.run().isMet)
        #expect(runner.store.calls == served.store.calls)
        #expect(runner.store.faults() == served.store.faults() && runner.store.faults().count == 4)
        // A store that starts with a story has the faults that were set at the end of the story.
        let desk = FaultInjector(store: runner.store)
        #expect(desk.active.isEmpty)
    }

    @Test(
        "A contradictory fault is refused",
        arguments: [
            "fault nowhere how 500", "fault history", "fault history how dropped", "fault notifications how 500",
            "fault history how 200", "fault history how incomplete", "fault notifications how delayed",
            "fault history how 500 times 0", "fault history how slow body span soon", "fault history how 9000000",
        ])
    func nonsense(_ step: String) async throws {
        let served = try await ServedStore()
        await #expect(throws: ScenarioError.self) { try await served.step(step) }
    }

    @Test("The control interface lists the faults in force")
    func control() async throws {
        let served = try await ServedStore()
        try await served.step("fault history how 500 times 2")
        let document = await served.local.respond(.get, "/local/v1/faults").document
        let fault = try #require(document?["faults"]?.array.map(Array.init)?.first)
        #expect(fault["fault"]?.string == "history" && fault["how"]?.string == "500" && fault["left"]?.int64 == 2)
        let page = await PageClient(local: served.local).get("/?view=store")
        #expect(PageClient.words(page.text).contains("history: 500, 2 more times"))
    }
}
