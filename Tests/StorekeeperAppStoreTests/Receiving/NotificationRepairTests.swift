import Foundation
import Storekeeper
import StorekeeperAppStore
import StorekeeperJWS
import StorekeeperSQLite
import StorekeeperSimulator
import StorekeeperTesting
import Testing

/// Tests of repairs, which fetch missed notifications from the history of notifications.
struct NotificationRepairTests {
    /// The story of a repair, with its expected result.
    private struct RepairCase {
        let story: NotifiedStory
        let expected: [String]
        var plan: RepairPlan {
            RepairPlan.cheapest(
                for: .init(
                    from: story.store.now.adding(milliseconds: -100 * 86_400_000), to: story.store.now,
                    expected: story.payloads.count),
                at: story.store.now)
        }

        init(_ scenario: String = "a-family-and-its-coins") async throws {
            story = try await NotifiedStory(scenario: scenario)
            expected = try await story.picture(of: try await story.directPool())
        }

        /// Returns a pool that has received some of the notifications.
        func pool(with payloads: some Sequence<String>, _ vault: any TransactionalVault = NotifiedStory.makeVault())
            async throws
            -> StorePool
        {
            let pool = story.makePool(vault)
            try await story.claimAll(in: pool)
            let receiver = receiver(pool)
            for payload in payloads { #expect(await receiver.receive(signedPayload: payload).status == 200) }
            return pool
        }

        func receiver(_ pool: StorePool) -> NotificationReceiver {
            NotificationReceiver(verifier: story.verifier, pool: pool)
        }
    }

    @Test("A repair completes any subset of received notifications", arguments: 0..<24)
    func anySubset(seed: UInt64) async throws {
        let ground = try await RepairCase(["a-family-and-its-coins", "billing-retry", "two-groups"][Int(seed % 3)])
        var random = SplitMix64(seed: seed)
        let share = random.number(in: 0...10)
        let came = ground.story.payloads.filter { _ in random.number(in: 1...10) <= share }
        let pool = try await ground.pool(with: came)
        let history = RecordedHistory(
            ground.story.payloads.shuffled(using: &random), pageSize: random.number(in: 1...7))
        let report = try await NotificationRepair(source: history, receiver: ground.receiver(pool)).run(ground.plan)
        #expect(report.repaired == ground.story.payloads.count - came.count)
        #expect(report.known == came.count)
        #expect(report.refused == 0)
        #expect(try await ground.story.picture(of: pool) == ground.expected)
    }

    @Test func `A repair that fails at any page resumes there, without losing or reading a page again`() async throws {
        let ground = try await RepairCase()
        let pages = (ground.story.payloads.count + 1) / 2
        for call in 1...pages {
            let pool = try await ground.pool(with: [])
            let history = RecordedHistory(ground.story.payloads, pageSize: 2, faults: [call: .fails])
            let repair = NotificationRepair(source: history, receiver: ground.receiver(pool))
            await #expect(throws: NotificationRepairError.self) { try await repair.run(ground.plan) }
            // A second repair uses the same vault, and continues the first repair.
            let next = NotificationRepair(source: history, receiver: ground.receiver(pool))
            let report = try await next.run(ground.plan)
            #expect(history.calls == pages + 1)
            #expect(report.pages == pages - call + 1)
            #expect(try await ground.story.picture(of: pool) == ground.expected)
            // A finished repair is not repeated.
            #expect(try await next.run(ground.plan).pages == 0)
        }
    }

    @Test("A repair over a failing vault loses nothing", arguments: 0..<12)
    func vaultFails(seed: UInt64) async throws {
        let ground = try await RepairCase()
        let vault = FaultyVault(NotifiedStory.makeVault())
        let pool = try await ground.pool(with: [], vault)
        let history = RecordedHistory(ground.story.payloads, pageSize: 3)
        let repair = NotificationRepair(source: history, receiver: ground.receiver(pool), concurrency: 2)
        var random = SplitMix64(seed: seed)
        var failures = 0
        while true {
            vault.failNothing()
            if failures < 8 {
                switch random.number(in: 0...2) {
                case 0: vault.failWrites()
                case 1: vault.failAcknowledgements()
                default: vault.failReads()
                }
            }
            do {
                _ = try await repair.run(ground.plan)
                break
            } catch {
                #expect(error.code == .vault || error.code == .notTakenIn)
                failures += 1
            }
        }
        vault.failNothing()
        #expect(failures > 0)
        #expect(try await ground.story.picture(of: pool) == ground.expected)
    }

    @Test("A history that never ends is an error, not a loop", arguments: [1, 2, 3], [true, false])
    func endless(call: Int, losesToken: Bool) async throws {
        let ground = try await RepairCase()
        let pool = try await ground.pool(with: [])
        let history = RecordedHistory(
            ground.story.payloads, pageSize: 2, faults: [call: losesToken ? .losesToken : .circles])
        // The request for the first page has no token, so a token can repeat only from the second page on.
        if !losesToken, call == 1 { history.setFault(.circles, ofCall: 2) }
        let repair = NotificationRepair(source: history, receiver: ground.receiver(pool))
        do {
            _ = try await repair.run(ground.plan)
            Issue.record("the repair did not fail")
        } catch {
            #expect(error.code == .endlessHistory)
        }
        #expect(history.calls <= max(call, 2))
    }

    @Test func `An expired token restarts the query, a limited number of times`() async throws {
        let ground = try await RepairCase()
        let pool = try await ground.pool(with: [])
        let history = RecordedHistory(ground.story.payloads, pageSize: 2, faults: [2: .expires])
        let repair = NotificationRepair(source: history, receiver: ground.receiver(pool))
        let report = try await repair.run(ground.plan)
        #expect(report.repaired == ground.story.payloads.count)
        #expect(try await ground.story.picture(of: pool) == ground.expected)

        let other = try await ground.pool(with: [])
        let endless = RecordedHistory(
            ground.story.payloads, pageSize: 2,
            faults: Dictionary(uniqueKeysWithValues: (1...50).map { (2 * $0, .expires) }))
        let giving = NotificationRepair(source: endless, receiver: ground.receiver(other))
        await #expect(throws: NotificationRepairError.self) { try await giving.run(ground.plan) }
        #expect(endless.calls <= 10)
    }

    @Test func `Untrusted notifications are counted and skipped`() async throws {
        let ground = try await RepairCase()
        let pool = try await ground.pool(with: [])
        let made = try HandmadeNotification()
        let foreign = try made.notification("TEST", part: made.data())
        let history = RecordedHistory(["nonsense", foreign] + ground.story.payloads + [""], pageSize: 4)
        let report = try await NotificationRepair(source: history, receiver: ground.receiver(pool)).run(ground.plan)
        #expect(report.refused == 3)
        #expect(report.refusals.allSatisfy { $0.code == .untrusted })
        #expect(report.repaired == ground.story.payloads.count)
        #expect(try await ground.story.picture(of: pool) == ground.expected)
    }

    @Test func `A repair of some customers queries these only, and has its own place`() async throws {
        let ground = try await RepairCase("two-groups")
        let pool = try await ground.pool(with: [])
        var transactions: [String: Set<Transaction.ID>] = [:]
        for payload in ground.story.payloads {
            let notification = try ground.story.verifier.notification(payload).payloadValue
            for case .transaction(.verified(let fact)) in ground.story.verifier.contents(of: notification) {
                transactions[payload, default: []].insert(fact.originalID)
            }
        }
        let ids = Set(transactions.values.flatMap { $0 })
        let history = RecordedHistory(ground.story.payloads, transactions: transactions)
        let repair = NotificationRepair(source: history, receiver: ground.receiver(pool))
        let now = ground.story.store.now
        let plan = RepairPlan.cheapest(
            for: .init(
                from: now.adding(milliseconds: -86_400_000), to: now, expected: 100_000,
                customers: ids.map { .init(transactionID: $0) }), at: now)
        #expect(plan.queries.count == ids.count)
        #expect(try await repair.run(plan).repaired == transactions.count)
        #expect(Set(history.queries.compactMap(\.transactionID)) == ids)
        #expect(try await repair.run(ground.plan).known == ground.story.payloads.count)
    }

    @Test func `Only failed notifications are read if that is cheaper, and the report counts their failures`()
        async throws
    {
        let ground = try await RepairCase("two-groups")
        let payloads = ground.story.payloads
        let lost = Set(payloads.prefix(2))
        let pool = try await ground.pool(with: payloads.dropFirst(2))
        let history = RecordedHistory(payloads, pageSize: 20, undelivered: lost)
        let now = ground.story.store.now
        let plan = RepairPlan.cheapest(
            for: .init(
                from: now.adding(milliseconds: -86_400_000), to: now, expected: 10_000, undelivered: lost.count),
            at: now)
        let report = try await NotificationRepair(source: history, receiver: ground.receiver(pool)).run(plan)
        #expect(report.repaired == 2)
        #expect(report.read == 2)
        #expect(report.attempts == ["TIMED_OUT": 2])
        #expect(try await ground.story.picture(of: pool) == ground.expected)
    }

    @Test func `A vault in a file stores the seen notifications and the place of a repair`() async throws {
        let ground = try await RepairCase()
        let folder = FileManager.default.temporaryDirectory.appending(path: "notify-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "vault.db").path
        let came = ground.story.payloads.prefix(4)
        do {
            let vault = try SQLiteVault(path: path, options: .init(accountTokens: .opaque))
            let pool = try await ground.pool(with: came, vault)
            let history = RecordedHistory(ground.story.payloads, pageSize: 3, faults: [3: .fails])
            let repair = NotificationRepair(source: history, receiver: ground.receiver(pool))
            await #expect(throws: NotificationRepairError.self) { try await repair.run(ground.plan) }
            try vault.close()
        }
        let vault = try SQLiteVault(path: path, options: .init(accountTokens: .opaque))
        let pool = ground.story.makePool(vault)
        let history = RecordedHistory(ground.story.payloads, pageSize: 3)
        let report = try await NotificationRepair(source: history, receiver: ground.receiver(pool)).run(ground.plan)
        #expect(report.read == ground.story.payloads.count - 6)
        #expect(report.known == 0)
        #expect(try await ground.story.picture(of: pool) == ground.expected)
        try vault.close()
    }

    @Test func `A cancelled repair ends`() async throws {
        let ground = try await RepairCase()
        let pool = try await ground.pool(with: [])
        let history = RecordedHistory(ground.story.payloads, pageSize: 1)
        let repair = NotificationRepair(source: history, receiver: ground.receiver(pool))
        let plan = ground.plan
        let task = Task { try await repair.run(plan) }
        task.cancel()
        await #expect(throws: NotificationRepairError.self) { try await task.value }
    }
}
