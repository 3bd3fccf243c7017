import Foundation
import HTTPTypes
import Storekeeper
import StorekeeperSimulator
import Testing

@testable import StorekeeperLocalStore

/// Tests that a store that continues from a journal has the retention messages and seats in the journal.
@Suite struct LocalStateTests {
    /// A store with a journal, from which another store can continue.
    private struct Kept {
        let served: ServedStore
        let journal: MemoryJournal
        let local: LocalAppStore

        init(environment: AppStore.Environment = .sandbox) async throws {
            served = try await ServedStore(environment: environment)
            journal = MemoryJournal(served.local.current.saved.text)
            local = await LocalAppStore(
                store: served.store, scenario: served.scenario, configuration: served.local.configuration,
                journal: journal)
        }

        func restarted() async throws -> LocalAppStore {
            let lines = journal.text.split(separator: "\n")
            let files = served.scenario.catalogFiles
            let scenario = try Scenario(reading: journal.text, file: "state.yaml") { name in
                try (files[name] ?? journal.catalog(name))
            }
            var runner = try await ScenarioRunner(scenario, authority: served.store.authority)
            #expect(try await runner.run().isMet)
            return await LocalAppStore(
                store: runner.store, scenario: served.scenario, configuration: served.local.configuration,
                messaging: lines.compactMap { MessagingRecord(line: $0) }, journal: journal)
        }

        func ask(_ local: LocalAppStore, _ method: String, _ path: String, _ body: [UInt8] = []) async -> LocalResponse
        {
            await local.respond(
                HTTPRequest.Method(method) ?? .get, path,
                fields: [.authorization: "Bearer \(served.token)", .contentType: "application/json"], body: body)
        }

        func text(_ local: LocalAppStore, _ path: String) async -> String {
            String(decoding: await ask(local, "GET", path).body, as: UTF8.self)
        }

        func step(_ text: String) async throws {
            _ = try await local.carryOut(try served.scenario.step(typed: text, people: local.store.accounts))
        }
    }

    private static let base = "/inApps/v1/messaging"
    private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0]

    @Test("Images, messages, reviews and defaults stay", arguments: [AppStore.Environment.sandbox, .production])
    func messages(_ environment: AppStore.Environment) async throws {
        let kept = try await Kept(environment: environment)
        let (image, other, message, gone) = (UUID(), UUID(), UUID(), UUID())
        func text(_ header: String) -> [UInt8] {
            // U+2028 ends a line in YAML.
            let texts = #""header":"\#(header)","body":"Bleib\#u{2028}- buy: gold 👋""#
            let picture = #""image":{"imageIdentifier":"\#(image)","altText":"A"}"#
            return Array(#"{\#(texts),\#(picture),"bulletPoints":[]}"#.utf8)
        }
        func put(_ path: String, _ body: [UInt8]) async {
            let answer = await kept.ask(kept.local, "PUT", Self.base + path, body)
            #expect(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
        }
        await put("/image/\(image)", Self.png)
        await put("/image/\(other)", Self.png)
        await put("/message/\(message)", text("Größe \\\" \\n"))
        await put("/message/\(gone)", text("Weg"))
        let control = ControlAPI(local: kept.local)
        _ = try control.review(Array(#"{"review":"APPROVED","message":"\#(message)"}"#.utf8))
        _ = try control.review(Array(#"{"review":"APPROVED","image":"\#(image)"}"#.utf8))
        await put("/default/gold.monthly/de-DE", Array(#"{"messageIdentifier":"\#(message)"}"#.utf8))
        await put("/default/gold.monthly/en-US", Array(#"{"messageIdentifier":"\#(message)"}"#.utf8))
        #expect(await kept.ask(kept.local, "DELETE", Self.base + "/default/gold.monthly/en-US").status == 200)
        #expect(await kept.ask(kept.local, "DELETE", Self.base + "/message/\(gone)").status == 200)
        #expect(await kept.ask(kept.local, "DELETE", Self.base + "/image/\(other)").status == 200)
        _ = try control.review(Array(#"{"review":"REJECTED"}"#.utf8))
        if environment == .sandbox { await put("/realtime/url", Array(#"{"realtimeURL":"https://a.example"}"#.utf8)) }

        let again = try await kept.restarted()
        let before = try control.messaging(of: nil)
        #expect(try ControlAPI(local: again).messaging(of: nil).json.text() == before.json.text())
        #expect(before.json.text().contains("Größe"))
        // Later changes are appended to the journal.
        let late = UUID()
        #expect(await kept.ask(again, "PUT", Self.base + "/image/\(late)", Self.png).status == 200)
        let third = try await kept.restarted()
        let list = await kept.text(third, Self.base + "/image/list")
        #expect(list.contains(late.uuidString.lowercased()) && list.contains("REJECTED"))
    }

    @Test("A complete performance test stays, and one that was not begins again")
    func tests() async throws {
        let kept = try await Kept()
        try await kept.step("buy gold.monthly by anna")
        let id = try #require(kept.local.store.transactions.last?.id.rawValue)
        let url = Array(#"{"realtimeURL":"https://a.example"}"#.utf8)
        #expect(await kept.ask(kept.local, "PUT", Self.base + "/realtime/url", url).status == 200)
        func initiate() async -> String? {
            await kept.ask(
                kept.local, "POST", Self.base + "/performanceTest", Array(#"{"originalTransactionId":"\#(id)"}"#.utf8)
            ).document?["requestId"]?.string
        }
        let first = try #require(await initiate())
        let messages = kept.local.current.messages
        for (app, test) in messages.takeNewTests() { try await kept.local.run(test, of: app, in: messages) }
        let second = try #require(await initiate())
        let again = try await kept.restarted()
        for test in [first, second] {
            let path = Self.base + "/performanceTest/result/\(test)"
            let (before, after) = (await kept.text(kept.local, path), await kept.text(again, path))
            #expect(before.contains("successRate") && after == before)
        }
        #expect(again.current.messages.takeNewTests().map(\.test.id.uuidString) == [second.uppercased()])
    }

    @Test("A change that cannot be recorded does not happen")
    func full() async throws {
        let kept = try await Kept()
        kept.journal.fail()
        #expect(await kept.ask(kept.local, "PUT", Self.base + "/image/\(UUID())", Self.png).status == 500)
        let list = await kept.ask(kept.local, "GET", Self.base + "/image/list").document
        #expect(list?["imageIdentifiers"]?.array.map { Array($0).count } == 0)
    }

    @Test("Claims of seats stay, with their members and requests")
    func seats() async throws {
        let kept = try await Kept()
        try await kept.step("buy gold.monthly by anna")
        try await kept.step("seats gold.monthly by anna number 4")
        try await kept.step("buy coins.100 by bert")
        let ids = kept.local.store.transactions.map(\.id.rawValue)
        let gold = try #require(ids.first)
        let bert = try #require(ids.last.flatMap { kept.local.store.customer(with: $0, app: ServedStore.bundleID) })
        let path = "/groups/v1/transactions/\(gold)/seats"
        let request = UUID()
        func claim(_ local: LocalAppStore, _ request: UUID) async -> String? {
            await kept.ask(local, "POST", path, Array(#"{"requestIdentifier":"\#(request)"}"#.utf8))
                .document?["seatClaimId"]?.string
        }
        let first = try #require(await claim(kept.local, request))
        let second = try #require(await claim(kept.local, UUID()))
        let third = try #require(await claim(kept.local, UUID()))
        #expect(await kept.ask(kept.local, "DELETE", "\(path)/\(second)").status == 200)
        let member = Array(#"{"appTransactionId":"\#(bert.appTransactionID)"}"#.utf8)
        #expect(await kept.ask(kept.local, "POST", "\(path)/\(third)/associate", member).status == 200)

        let again = try await kept.restarted()
        let info = await kept.ask(again, "GET", path).document
        #expect(info?["assignedSeatClaimIds"]?.array?.map(\.string) == [first, third])
        #expect(info?["availableSeatCount"]?.int64 == 1)
        #expect(await claim(again, request) == first)
        let groups = await kept.ask(again, "GET", "/groups/v1/currentGroups/\(bert.appTransactionID)").document
        #expect(groups?["groups"]?.array?.map { $0["groupId"]?.string } == ["group-\(gold)"])
    }
}
