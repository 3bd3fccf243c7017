import Foundation
import HTTPTypes
import Storekeeper
import StorekeeperSimulator
import StorekeeperTesting
import Testing

@testable import StorekeeperLocalStore

/// Tests of a local App Store that goes to steps of its story.
@Suite struct StoryReplayTests {
    /// All data that a store returns, except for signatures, which are random.
    private struct Picture: Hashable {
        let now: Instant
        let transactions: [TransactionSummary]
        let happenings: [String]
        let evidence: [String]
        let notifications: [String]
        let faults: [StartedFault]

        init(_ store: SimulatedAppStore) throws {
            now = store.now
            transactions = store.transactions
            happenings = store.happenings().map { $0.json.text() }
            evidence = try store.evidence(.all).compactMap(Self.payload)
            notifications = try store.notifications().compactMap(Self.payload)
            faults = store.faults()
        }

        private static func payload(_ jws: String) -> String? {
            let parts = jws.split(separator: ".")
            return parts.count == 3 ? CompactContent(jws)?.text : nil
        }
    }

    /// The payload of a JWS, in which each nested JWS is replaced by its payload.
    private struct CompactContent {
        let text: String

        init?(_ jws: String) {
            guard let value = LocalResponse.payload(jws) else { return nil }
            text = Self.reduced(value)
        }

        private static func reduced(_ value: JSONValue) -> String {
            if let object = value.object {
                return object.map { "\($0.name)=\(reduced($0.value))" }.sorted().joined(separator: ";")
            }
            if let string = value.string {
                return LocalResponse.payload(string).map(reduced) ?? string
            }
            return JSONText.value(value).text()
        }
    }

    private static let steps = [
        "buy gold.monthly by anna", "buy silver.monthly by bert", "buy coins.100 by anna quantity 2", "advance 40 days",
        "advance 1 year", "advance next event", "refund coins.100 by anna", "cancel gold.monthly by anna",
        "fail billing bert", "fix billing bert", "clear anna", "clear everyone", "new person zoe",
        "buy coins.500 by zoe as first", "fault history how 500 times 2", "test notification",
        "change plan gold.yearly by anna", "buy gold.monthly by bert ask to buy yes", "approve gold.monthly by bert",
        "set recovery 0.5", "delete gold.monthly by anna",
    ]

    /// A store with a journal.
    private struct Kept {
        let served: ServedStore
        let journal: MemoryJournal
        let local: LocalAppStore
        let webhook: ScriptedWebhook

        init(_ webhook: ScriptedWebhook = ScriptedWebhook()) async throws {
            served = try await ServedStore { $0.retriesNotifications = true }
            journal = MemoryJournal(served.local.current.saved.text)
            self.webhook = webhook
            local = await LocalAppStore(
                store: served.store, scenario: served.scenario, webhook: webhook,
                configuration: served.local.configuration, journal: journal)
        }

        func step(_ text: String, in local: LocalAppStore? = nil) async throws {
            let local = local ?? self.local
            _ = try await local.carryOut(try local.scenario.step(typed: text, people: local.store.accounts))
        }

        /// Plays the journal and continues from it.
        func restarted() async throws -> LocalAppStore {
            let scenario = try Scenario(reading: journal.text, file: "state.yaml") { try file($0) }
            var runner = try await ScenarioRunner(scenario, authority: served.store.authority)
            let report = try await runner.run()
            #expect(report.isMet, "\(report.failures)")
            let lines = journal.text.split(separator: "\n")
            let archive = StoryArchive(journal.text, scenario: scenario, store: runner.store) { try file($0) }
            #expect(archive != nil || local.recorder.story.tree.steps.count == 1)
            return await LocalAppStore(
                store: runner.store, scenario: scenario, webhook: webhook, configuration: served.local.configuration,
                attempts: lines.compactMap { AttemptRecord(line: $0) },
                messaging: lines.compactMap { MessagingRecord(line: $0) }, journal: journal, archive: archive)
        }

        private func file(_ name: String) throws -> CatalogFile {
            try served.scenario.catalogFiles[name] ?? journal.catalog(name)
        }
    }

    @Test("Undo returns the store, time included, and redo gives the same transactions and signed texts")
    func undo() async throws {
        let kept = try await Kept()
        let local = kept.local
        for step in ["buy gold.monthly by anna", "advance 1 year"] { try await kept.step(step) }
        let before = try Picture(local.store)
        #expect(
            local.recorder.story.tree.steps.map(\.text) == [
                "A shop for tests", "buy gold.monthly by anna", "advance 1 year",
            ])
        let sent = kept.webhook.bodies.count
        let attempts = local.store.happenings().map { local.outbox.attempts(of: $0.id) }
        #expect(sent > 10)
        try await local.undo()
        #expect(local.store.now == SimulatedAppStore.defaultStart && local.store.transactions.count == 1)
        try await local.undo()
        #expect(local.store.transactions.isEmpty)
        await #expect(throws: StoryTree.Refusal.nothingToUndo) { try await local.undo() }
        try await local.redo()
        try await local.redo()
        #expect(try Picture(local.store) == before)
        // No notification is sent again, and the list of attempts is the same as before.
        try await local.outbox.sendDue()
        #expect(kept.webhook.bodies.count == sent)
        #expect(local.store.happenings().map { local.outbox.attempts(of: $0.id) } == attempts)
    }

    @Test("Failed notifications of a replayed step are retried when they are due")
    func retries() async throws {
        let kept = try await Kept(ScriptedWebhook([.socketIssue]))
        try await kept.step("buy coins.100 by anna")
        try await kept.step("buy coins.500 by bert")
        try await kept.local.undo()
        let sent = kept.webhook.bodies.count
        try await kept.step("advance 2 hours")
        #expect(kept.webhook.bodies.count == sent + 1)
        let again = try await kept.restarted()
        let id = try #require(again.store.happenings().first { $0.notification != nil }).id
        #expect(again.outbox.attempts(of: id).map(\.result) == [.socketIssue, .success])
    }

    @Test(
        "Every step of every branch is the same whenever the store goes there, also after a restart", arguments: 0..<12)
    func replay(_ seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let results = (0..<30).map { _ in random.chance(20) ? SendAttempt.Result.socketIssue : .success }
        let kept = try await Kept(ScriptedWebhook(results))
        var local = kept.local
        var pictures: [Int: Picture] = [0: try Picture(local.store)]
        func check(_ what: String) throws {
            let step = local.recorder.story.tree.current
            let picture = try Picture(local.store)
            if let known = pictures[step] {
                #expect(known == picture, "seed \(seed): \(what) at step \(step)")
            } else {
                pictures[step] = picture
            }
        }
        for _ in 1...25 {
            let tree = local.recorder.story.tree
            switch random.number(in: 0...11) {
            case 0: _ = try? await local.undo()
            case 1: _ = try? await local.redo()
            case 2: try await local.go(to: random.number(in: 0...tree.steps.count - 1))
            case 3: try await local.go(toBranch: random.number(in: 1...tree.branches.count))
            case 4:
                // A server reads the transaction, so that the next signature has a later date.
                if let id = local.store.transactions.last(where: { $0.purchasedAt != nil })?.id {
                    _ = await local.respond(
                        .get, "/inApps/v1/transactions/\(id)",
                        fields: [.authorization: "Bearer \(kept.served.token)"])
                    _ = await local.respond(
                        .post, "/inApps/v1/transactions/\(id)/finish",
                        fields: [.authorization: "Bearer \(kept.served.token)"])
                }
            case 5: try local.rename(branch: tree.currentBranch, to: "Branch \(random.number(in: 1...99)) of \(seed)")
            default: try? await kept.step(Self.steps[random.number(in: 0...Self.steps.count - 1)], in: local)
            }
            try check("in the first run")
            if random.chance(10) {
                let before = local.recorder.story.tree
                local = try await kept.restarted()
                #expect(local.recorder.story.tree == before, "seed \(seed): the restart changed the story")
                try check("after the restart")
            }
        }
        let tree = local.recorder.story.tree
        local = try await kept.restarted()
        #expect(local.recorder.story.tree == tree, "seed \(seed)")
        for step in tree.steps.indices {
            try await local.go(to: step)
            try check("at the end")
            // A store that plays the scenario that is downloaded at this step is equal to the original store.
            let saved = local.current.saved
            let read = try Scenario(reading: saved.text, file: "saved.yaml") { try #require(saved.catalogFiles[$0]) }
            var runner = try await ScenarioRunner(read)
            let report = try await runner.run()
            #expect(report.isMet, "seed \(seed): \(report.failures)\n\(saved.text)")
            #expect(runner.store.transactions == local.store.transactions, "seed \(seed)")
            #expect(runner.store.now == local.store.now, "seed \(seed)")
        }
    }

    @Test("The saved scenario has the steps as they were made")
    func saved() async throws {
        let kept = try await Kept()
        let steps = [
            "buy gold.monthly by anna", "advance 1 year", "advance next event", "set grace period 16 days",
            "fail billing anna", "buy coins.100 by anna", "advance to 2028-01-01", "clear anna",
        ]
        for step in steps { try await kept.step(step) }
        let saved = kept.local.current.saved
        let text = saved.text
        #expect(text.contains("  - advance: 1 year\n") && text.contains("  - advance: next event\n"), "\(text)")
        // The scenario states that this purchase fails. Without this statement, the scenario could not be played.
        #expect(text.contains("  - buy: coins.100\n    by: anna\n    outcome: failed\n"), "\(text)")
        let read = try Scenario(reading: text, file: "saved.yaml") { try #require(saved.catalogFiles[$0]) }
        var runner = try await ScenarioRunner(read)
        #expect(try await runner.run().isMet)
        #expect(runner.store.happenings().map(\.at) == kept.local.store.happenings().map(\.at))
    }

    @Test("Advances by one span in succession, as the playing clock makes them, are saved as one step")
    func played() async throws {
        let kept = try await Kept()
        try await kept.step("advance 30 days")
        try await kept.step("buy gold.monthly by anna")
        for _ in 1...5 { try await kept.step("advance 1 day") }
        try await kept.step("advance 6 hours")
        try await kept.step("buy coins.100 by bert")
        // A month after 5 February, and a month after that, are the same as two months.
        for _ in 1...2 { try await kept.step("advance 1 month") }
        try await kept.step("advance to 2026-05-31")
        // Three months in succession from 31 May end on 30 August, and three months at once on 31 August.
        for _ in 1...3 { try await kept.step("advance 1 month") }
        let (now, before) = (kept.local.store.now, try Picture(kept.local.store))
        let saved = kept.local.current.saved
        let jumps = saved.text.matches(of: #/  - (advance.*)\n/#).map { String($0.1) }
        #expect(
            jumps == [
                "advance: 30 days", "advance: 5 days", "advance: 6 hours", "advance: 2 months",
                "advance to: 2026-05-31T00:00:00.000Z", "advance to: 2026-08-30T00:00:00.000Z",
            ])
        let read = try Scenario(reading: saved.text, file: "saved.yaml") { try #require(saved.catalogFiles[$0]) }
        let store = try read.makeStore(authority: kept.served.store.authority)
        #expect(store.now == now && store.transactions == kept.local.store.transactions)
        // Each tick can still be undone.
        try await kept.local.undo()
        try await kept.local.redo()
        #expect(try Picture(kept.local.store) == before)
    }

    @Test("A change after a server has read keeps its date in the saved scenario")
    func dated() async throws {
        let kept = try await Kept()
        try await kept.step("buy coins.100 by anna")
        let id = try #require(kept.local.store.transactions.first).id
        let fields: [HTTPField.Name: String] = [.authorization: "Bearer \(kept.served.token)"]
        _ = await kept.local.respond(.get, "/inApps/v1/transactions/\(id)", fields: fields)
        try await kept.step("refund coins.100 by anna")
        #expect(kept.local.current.saved.text.contains("  - advance: 1 millisecond\n  - refund: coins.100\n"))
        #expect(kept.local.recorder.story.tree.steps.count == 3)
    }

    @Test("A loaded scenario is a step: undo returns the store from before, redo the loaded one")
    func load() async throws {
        let kept = try await Kept()
        try await kept.step("buy gold.monthly by anna")
        let before = try Picture(kept.local.store)
        let other = try Scenario(
            reading: """
                story: Another shop
                app: com.example.game
                catalog: Store.storekit
                start: 2027-05-01
                people: [zoe]
                steps:
                  - buy: coins.100
                    as: first
                  - advance: 3 days

                """, file: "other.yaml"
        ) { name in try #require(kept.served.scenario.catalogFiles[name]) }
        #expect(try await kept.local.load(other).isMet)
        let loaded = try Picture(kept.local.store)
        try await kept.step("refund coins.100 by zoe")
        let refunded = try Picture(kept.local.store)
        #expect(kept.local.recorder.story.tree.steps.map(\.kind) == [.beginning, .step, .load, .step])
        #expect(kept.local.current.saved.text.contains("as: first"))
        try await kept.local.go(to: 1)
        #expect(try Picture(kept.local.store) == before)
        #expect(kept.local.scenario.story == "A shop for tests")
        // The journal is again a scenario of the first store, and also contains the other story.
        let again = try await kept.restarted()
        #expect(try Picture(again.store) == before)
        try await again.redo()
        #expect(try Picture(again.store) == loaded)
        try await again.redo()
        #expect(try Picture(again.store) == refunded)
        let third = try await kept.restarted()
        #expect(third.scenario.story == "Another shop")
        try await third.go(to: 1)
        #expect(try Picture(third.store) == before)
    }

    @Test("A journal of an earlier version is the beginning of a story")
    func earlier() async throws {
        let kept = try await Kept()
        try await kept.step("buy gold.monthly by anna")
        let old = kept.served.local.current.saved.text + "# sent 0 1767225600000 SUCCESS\n"
        let journal = MemoryJournal(old)
        let files = kept.served.scenario.catalogFiles
        let scenario = try Scenario(reading: old, file: "state.yaml") { try #require(files[$0]) }
        var runner = try await ScenarioRunner(scenario)
        _ = try await runner.run()
        #expect(StoryArchive(old, scenario: scenario, store: runner.store) { try #require(files[$0]) } == nil)
        let local = await LocalAppStore(
            store: runner.store, scenario: scenario,
            attempts: [AttemptRecord(line: "# sent 0 1767225600000 SUCCESS")]
                .compactMap(\.self), journal: journal)
        #expect(local.store.transactions.count == 1)
        #expect(local.recorder.story.tree.steps.count == 1)
        try await kept.step("buy coins.100 by bert", in: local)
        try await local.undo()
        #expect(local.store.transactions.count == 1)
        #expect(journal.text.contains("# sent 0 1767225600000 SUCCESS\n"))
    }

    @Test("A step that a kill interrupted is kept as far as it went")
    func interrupted() async throws {
        let kept = try await Kept()
        try await kept.step("buy gold.monthly by anna")
        let length = kept.journal.text.utf8.count
        try await kept.step("advance 3 months")
        let text = String(decoding: Array(kept.journal.text.utf8), as: UTF8.self)
        let added = text.dropFirst(length).split(separator: "\n", omittingEmptySubsequences: false)
        // The journal is cut off here: the mark of the step is not written yet, and only the first renewal has
        // happened.
        let place = try #require(added.firstIndex { $0.hasPrefix("# sent") })
        try kept.journal.replace(with: text.prefix(length) + added[...place].joined(separator: "\n") + "\n")
        let again = try await kept.restarted()
        let tree = again.recorder.story.tree
        #expect(tree.steps.count == 3 && tree.steps[2].text.hasSuffix("(interrupted)"), "\(tree.steps)")
        #expect(again.store.transactions.count == 2 && tree.steps[2].at == again.store.now)
        try await again.undo()
        #expect(again.store.transactions.count == 1)
        try await again.redo()
        #expect(again.store.transactions.count == 2)
        #expect(try await kept.restarted().store.transactions.count == 2)
    }

    @Test("A change that the journal refuses is not acknowledged, and is written once the journal works again")
    func refusedJournal() async throws {
        let kept = try await Kept()
        try await kept.step("buy coins.100 by anna")
        kept.journal.fail()
        await #expect(throws: CocoaError.self) { try await kept.step("buy coins.500 by bert") }
        await #expect(throws: CocoaError.self) { try await kept.local.undo() }
        #expect(kept.local.store.transactions.count == 2 && kept.local.recorder.story.tree.current == 2)
        kept.journal.fail(false)
        try await kept.step("buy coins.100 by bert")
        #expect(try await kept.restarted().store.transactions.count == 3)
    }

    @Test("Requests of the server are steps; those during a step belong to it")
    func requests() async throws {
        let kept = try await Kept()
        try await kept.step("buy coins.100 by anna")
        let id = try #require(kept.local.store.transactions.first).id
        let fields: [HTTPField.Name: String] = [.authorization: "Bearer \(kept.served.token)"]
        #expect(await kept.local.respond(.post, "/inApps/v1/transactions/\(id)/finish", fields: fields).status == 200)
        // A request that changes nothing is not recorded as a step.
        #expect(await kept.local.respond(.get, "/inApps/v1/transactions/\(id)", fields: fields).status == 200)
        let tree = kept.local.recorder.story.tree
        #expect(tree.steps.map(\.kind) == [.beginning, .step, .request])
        #expect(tree.steps.last?.text == "POST /inApps/v1/transactions/\(id)/finish")
        try await kept.local.undo()
        #expect(kept.local.store.transactions.first?.isFinished == false)
        #expect(try await kept.restarted().recorder.story.tree == kept.local.recorder.story.tree)
    }
}
