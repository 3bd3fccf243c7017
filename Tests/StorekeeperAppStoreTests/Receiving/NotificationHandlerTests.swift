import Storekeeper
import StorekeeperAppStore
import StorekeeperJWS
import StorekeeperTesting
import Synchronization
import Testing

/// Tests of when and how often handlers are called, and with which values.
struct NotificationHandlerTests {
    struct Broken: Error {}

    private func request(_ made: HandmadeNotification, environment: String = "Production") throws -> String {
        try made.notification(
            "CONSUMPTION_REQUEST",
            part: made.data(
                #""signedTransactionInfo":"\#(try made.transaction(environment: environment))""#,
                #""consumptionRequestReason":"UNINTENDED_PURCHASE""#, environment: environment))
    }

    @Test func `A consumption request is passed with the ledger's figures`() async throws {
        let made = try HandmadeNotification()
        try await made.pool.withStore("anna") { store in
            _ = try await store.ingest([try made.transaction(id: "1000"), try made.transaction()])
            _ = try await store.spend(130, of: "coins", key: "castle")
        }
        let requests = Mutex<[ConsumptionQuestion]>([])
        let receiver = made.receiver(
            NotificationHandlers(consumptionRequest: { request in requests.withLock { $0.append(request) } }))
        let payload = try request(made)
        #expect(await receiver.receive(signedPayload: payload).word == "accepted")
        #expect(await receiver.receive(signedPayload: payload).word == "repeated")
        let request = try #require(requests.withLock { $0 }.first)
        #expect(requests.withLock { $0.count } == 1)
        #expect(request.customer == "anna")
        #expect(request.reason == "UNINTENDED_PURCHASE")
        #expect(request.answerBy == HandmadeNotification.signedAt.adding(milliseconds: 12 * 3_600_000))
        #expect(request.transaction.id == "2000")
        let consumption = try #require(request.consumption.first)
        #expect(consumption.id == "coins")
        #expect(consumption.credited == 100)
        // 130 of 200 coins are spent, the oldest first. So 30 coins of the second pack of a hundred are spent.
        #expect(consumption.credited - consumption.used - consumption.takenBack == 70)
        #expect(consumption.share == 30_000)
    }

    @Test func `A request about an unclaimed purchase is passed without figures`() async throws {
        let made = try HandmadeNotification()
        let requests = Mutex<[ConsumptionQuestion]>([])
        let receiver = made.receiver(
            NotificationHandlers(consumptionRequest: { request in requests.withLock { $0.append(request) } }))
        #expect(await receiver.receive(signedPayload: try request(made, environment: "Sandbox")).word == "accepted")
        let request = try #require(requests.withLock { $0 }.first)
        #expect(request.answerBy == HandmadeNotification.signedAt.adding(milliseconds: 5 * 60_000))
        #expect(request.customer == nil)
        #expect(request.consumption.isEmpty)
        #expect(request.isDelivered == nil)
    }

    @Test func `A handler that fails is called again, and the notification's evidence is stored in any case`()
        async throws
    {
        let made = try HandmadeNotification()
        let calls = Mutex(0)
        let receiver = made.receiver(
            NotificationHandlers(consumptionRequest: { _ in
                let call = calls.withLock { calls in
                    calls += 1
                    return calls
                }
                if call == 1 { throw Broken() }
            }))
        let payload = try request(made)
        let reply = await receiver.receive(signedPayload: payload)
        #expect(reply.word == "failed handler")
        #expect(reply.status == 503)
        #expect(try await made.pool.vault.parked(after: .start, limit: 10).rows.count == 1)
        #expect(await receiver.receive(signedPayload: payload).word == "accepted")
        #expect(await receiver.receive(signedPayload: payload).word == "repeated")
        #expect(calls.withLock { $0 } == 2)
    }

    @Test func `A handler that takes too long is abandoned`() async throws {
        let made = try HandmadeNotification()
        let receiver = made.receiver(
            NotificationHandlers(consumptionRequest: { _ in try await Task.sleep(for: .seconds(3_600)) }))
        let (payload, clock) = (try request(made), made.clock)
        async let reply = receiver.receive(signedPayload: payload)
        while clock.sleeperCount == 0 { await Task.yield() }
        clock.advance(by: .seconds(5))
        #expect(await reply.word == "failed handler")
    }

    @Test func `Concurrent copies of a notification are handled once`() async throws {
        let made = try HandmadeNotification()
        let calls = Mutex(0)
        let receiver = made.receiver(
            NotificationHandlers(consumptionRequest: { _ in
                calls.withLock { $0 += 1 }
                await Task.yield()
            }))
        let payload = try request(made)
        var words: [String: Int] = [:]
        await withTaskGroup(of: String.self) { group in
            for _ in 0..<64 { group.addTask { await receiver.receive(signedPayload: payload).word } }
            for await word in group { words[word, default: 0] += 1 }
        }
        #expect(words == ["accepted": 1, "repeated": 63])
        #expect(calls.withLock { $0 } == 1)
    }

    @Test("The used share is rounded down and stays within its bounds")
    func share() {
        #expect(Consumption(id: "coins", credited: 0, used: 5, takenBack: 0).share == 0)
        #expect(Consumption(id: "coins", credited: 3, used: 1, takenBack: 0).share == 33_333)
        #expect(Consumption(id: "coins", credited: 10, used: 14, takenBack: 0).share == 100_000)
        #expect(Consumption(id: "coins", credited: .max, used: .max, takenBack: 0).share == 100_000)
        #expect(Consumption(id: "coins", credited: -5, used: 9, takenBack: 0).share == 0)
    }

    @Test func `A cancelled task does not acknowledge its notification`() async throws {
        let made = try HandmadeNotification()
        let receiver = made.receiver(
            NotificationHandlers(consumptionRequest: { _ in try await Task.sleep(for: .seconds(3_600)) }))
        let (payload, clock) = (try request(made), made.clock)
        let task = Task { await receiver.receive(signedPayload: payload) }
        while clock.sleeperCount == 0 { await Task.yield() }
        task.cancel()
        #expect(await task.value.status == 503)
    }
}
