import Foundation
import Storekeeper
import StorekeeperAppStore
import StorekeeperJWS
import StorekeeperPostgres
import StorekeeperTesting
import Synchronization
import Testing

@testable import StorekeeperCompanion

/// Tests of webhooks over HTTP, with receivers that fail in many ways.
@Suite("Deliveries of webhooks", .system, .timeLimit(.minutes(5))) struct WebhookDeliveryTests {
    typealias Reply = WebhookReceiver.Reply

    /// Returns the faults in the order of the received messages.
    ///
    /// In the right order, each event of a customer is repeated until it is accepted, and then the customer's next
    /// event follows.
    private static func faults(_ messages: [WebhookReceiver.Message], _ events: [StoreEvent]) -> [String] {
        var rest: [String: [StoreEvent]] = [:]
        for event in events { rest[event.customer.rawValue, default: []].append(event) }
        var faults: [String] = []
        var bodies: [String: [UInt8]] = [:]
        for message in messages {
            guard let next = rest[message.customer]?.first, next.place.number == message.sequence else {
                faults.append("\(message.id) of \(message.customer) is not next")
                continue
            }
            if FeedCursor(after: next).description != message.id { faults.append("\(message.id) is not the id") }
            if bodies.updateValue(message.body, forKey: message.id).map({ $0 != message.body }) ?? false {
                faults.append("\(message.id) has another body")
            }
            let isAccepted = (200..<300).contains(message.reply.status) && !message.reply.drops
            if isAccepted, message.reply.delay == .zero { rest[message.customer]?.removeFirst() }
        }
        return faults + rest.values.flatMap(\.self).map { "\($0.place) of \($0.customer) is missing" }
    }

    private static func isDone(_ vault: any TransactionalVault, _ name: String = "billing") async throws -> Bool {
        guard let summary = try await vault.webhookSummaries().first(where: { $0.name == name }) else {
            return false
        }
        let rest = try await vault.events(after: summary.state.queuedThrough, of: nil, limit: 1)
        return rest.isEmpty && summary.waiting == 0
    }

    // MARK: Order

    @Test("Each event is posted in the order of its customer until it is accepted, whatever the receiver does")
    func order() async throws {
        let seed = PropertySettings.environment.seed ?? .random(in: .min ... .max)
        let vault = InMemoryVault()
        try await Self.order(seed: seed, vault, [("a", vault), ("b", vault)])
    }

    @Test(
        "Two nodes over one database divide the customers, and keep the order of each",
        .enabled(if: ServerDatabase.server != nil, "STOREKEEPER_POSTGRES is not set"))
    func fleet() async throws {
        let seed = PropertySettings.environment.seed ?? .random(in: .min ... .max)
        let database = try ServerDatabase()
        let first = try await PostgresVault(database.address)
        defer { first.close() }
        let second = try await PostgresVault(database.address)
        defer { second.close() }
        try await Self.order(seed: seed, first, [("a", first), ("b", second)])
        #expect(try await first.checkIntegrity().faults == [])
    }

    /// Nodes post random events to a receiver that fails at random.
    private static func order(
        seed: UInt64, _ vault: any TransactionalVault, _ nodes: [(String, any TransactionalVault)]
    ) async throws {
        var random = SplitMix64(seed: seed)
        let customers = (1...12).map { CustomerID(rawValue: "c\($0)") }
        let draws = (0..<120).map { _ in customers[random.number(in: 0...11)] }
        let faults = Mutex(SplitMix64(seed: seed &+ 1))
        let receiver = try WebhookReceiver { _ in
            faults.withLock { random in
                guard random.chance(35) else { return .accepted }
                switch random.number(in: 0...6) {
                case 0: return .status(500)
                case 1: return .status(429, ("Retry-After", "0"))
                case 2: return .status(404)
                case 3: return .status(302, ("Location", "/other"))
                case 4: return Reply(drops: true)
                case 5: return Reply(status: 200, delay: .seconds(3))
                default: return .status(503)
                }
            }
        }
        defer { receiver.stop() }
        try await vault.beginWebhook()
        var events = try await vault.writeEvents(about: Array(draws.prefix(60)))
        let running = try nodes.map { name, vault in
            try WebhookNode(
                name, over: vault, to: WebhookNode.endpoint(receiver.url, timeout: .seconds(1)),
                backoff: WebhookNode.backoff(seed: seed))
        }
        try await WebhookNode.running(running) {
            for customer in draws.dropFirst(60) {
                events += try await vault.writeEvents(about: [customer])
                for node in running { node.sender.wake() }
            }
            try await eventually("all is delivered, seed \(seed)") { try await isDone(vault) }
        }
        let found = Self.faults(receiver.messages, events)
        #expect(found == [], "seed \(seed): \(found.prefix(5))")
        #expect(receiver.messages.count > events.count, "nothing has failed, seed \(seed)")
        let secrets = try WebhookSecrets([WebhookNode.secret])
        for message in receiver.messages {
            try secrets.verify(
                message.body, id: message.id, timestamp: message.timestamp, signature: message.signature,
                at: Instant(Date()))
        }
        let log = try await vault.webhookAttempts(of: nil, about: nil, before: nil, limit: 10_000)
        #expect(log.count == receiver.messages.count, "seed \(seed)")
        #expect(log.filter { $0.outcome == .delivered }.count == events.count, "seed \(seed)")
    }

    @Test(
        "Both nodes of a database post, and one takes over when the other ends",
        .enabled(if: ServerDatabase.server != nil, "STOREKEEPER_POSTGRES is not set"))
    func division() async throws {
        let database = try ServerDatabase()
        let first = try await PostgresVault(database.address)
        defer { first.close() }
        let second = try await PostgresVault(database.address)
        defer { second.close() }
        let (one, two) = (
            try WebhookReceiver { _ in Reply(status: 204, delay: .milliseconds(300)) },
            try WebhookReceiver { _ in Reply(status: 204, delay: .milliseconds(300)) }
        )
        defer {
            one.stop()
            two.stop()
        }
        try await first.beginWebhook()
        let customers = (1...80).map { CustomerID(rawValue: "c\($0)") }
        try await first.writeEvents(about: customers)
        // Each node has its own receiver, so that the test can tell which node posted a message.
        let nodes = [
            try WebhookNode("a", over: first, to: WebhookNode.endpoint(one.url)),
            try WebhookNode("b", over: second, to: WebhookNode.endpoint(two.url)),
        ]
        try await WebhookNode.running(nodes) {
            try await eventually("all is delivered") {
                for node in nodes { node.sender.wake() }
                return try await Self.isDone(first)
            }
        }
        let (left, right) = (Set(one.messages.map(\.id)), Set(two.messages.map(\.id)))
        #expect(left.count + right.count == 80 && left.isDisjoint(with: right))
        #expect(one.messages.count + two.messages.count == 80)
        #expect(!left.isEmpty && !right.isEmpty, "\(left.count) and \(right.count)")

        // A node that is interrupted during its attempts leaves its leases in the vault until their time ends.
        one.answer { _ in Reply(status: 204, delay: .seconds(60)) }
        try await first.writeEvents(about: customers)
        let dead = "dead"
        let begun = try await #require(first.webhookState(of: "billing")).queuedThrough
        let rows = try await first.events(after: begun, of: nil, limit: 1_000)
            .map { (customer: $0.customer, place: $0.place) }
        let now = Instant(Date())
        let taken = try await first.changeWebhook("billing", of: customers, isWhole: true) { step in
            _ = step.queue(rows, after: begun, at: now)
            return step.take(customers, WakeLease(node: dead, duration: .seconds(3)), at: now)
        }
        #expect(taken.count == 80)
        let other = try WebhookNode("c", over: second, to: WebhookNode.endpoint(two.url, timeout: .seconds(1)))
        try await WebhookNode.running([other]) {
            try await eventually("another node takes over") { try await Self.isDone(second) }
        }
        #expect(Set(two.messages.map(\.id)).count == right.count + 80)
    }

    // MARK: Failures

    @Test("A failing event delays the later ones of its customer, and no others")
    func blocked() async throws {
        let receiver = try WebhookReceiver { $0.customer == "anna" ? .status(500) : .accepted }
        defer { receiver.stop() }
        let vault = InMemoryVault()
        try await vault.beginWebhook()
        let events = try await vault.writeEvents(about: ["anna", "ben", "anna", "ben", "cleo"])
        let node = try WebhookNode("a", over: vault, to: WebhookNode.endpoint(receiver.url))
        try await WebhookNode.running([node]) {
            try await eventually("the others are delivered") {
                receiver.accepted.count == 3 && receiver.messages.count > 8
            }
            #expect(Set(receiver.messages.filter { $0.customer == "anna" }.map(\.sequence)).count == 1)
            #expect(receiver.accepted.map(\.customer).sorted() == ["ben", "ben", "cleo"])
            let summary = try await vault.webhookSummaries().first
            #expect(summary?.waiting == 1 && summary?.failing == 1 && summary?.parked == 0)
            receiver.answer { _ in .accepted }
            try await eventually("hers follow") { try await Self.isDone(vault) }
        }
        #expect(Self.faults(receiver.messages, events) == [])
    }

    @Test("After an outage of a receiver, and on command, failed messages are posted without their waits")
    func recovered() async throws {
        let receiver = try WebhookReceiver { _ in .status(503) }
        defer { receiver.stop() }
        let vault = InMemoryVault()
        try await vault.beginWebhook()
        var events = try await vault.writeEvents(about: ["anna", "ben", "anna"])
        let node = try WebhookNode(
            "a", over: vault, to: WebhookNode.endpoint(receiver.url),
            backoff: Backoff(first: .seconds(3_600), longest: .seconds(3_600), seed: 1))
        let commands = WebhookCommands(vault)
        func failing() async throws -> Int? { try await vault.webhookSummaries().first?.failing }
        try await WebhookNode.running([node]) {
            try await eventually("both fail") { try await failing() == 2 }
            // The command is carried out although the receiver still fails.
            #expect(try await commands.retry("billing", at: Instant(Date())) == 2)
            node.sender.wake()
            try await eventually("both are posted again") { receiver.messages.count == 4 }
            try await eventually("both have failed again") {
                try await vault.webhookAttempts(of: "billing", about: nil, before: nil, limit: 9).count == 4
            }
            receiver.answer { _ in .accepted }
            events += try await vault.writeEvents(about: ["cleo"])
            node.sender.wake()
            try await eventually("all follow") { try await Self.isDone(vault) }
        }
        #expect(Self.faults(receiver.messages, events) == [])
        #expect(receiver.messages.count == 8)
    }

    /// The real time, plus a shift.
    private final class ShiftedClock: StoreClock {
        private let shift = Mutex<Int64>(0)

        var now: Instant { WallClock().now.adding(milliseconds: shift.withLock { $0 }) }
        func advance(byMilliseconds milliseconds: Int64) { shift.withLock { $0 += milliseconds } }

        func sleep(until instant: Instant) async throws {
            try await WallClock().sleep(until: instant.adding(milliseconds: -shift.withLock { $0 }))
        }
    }

    @Test("A message that fails while others are accepted keeps its waits, even if the others are rare")
    func rareEvents() async throws {
        let receiver = try WebhookReceiver { $0.customer == "anna" ? .status(500) : .accepted }
        defer { receiver.stop() }
        let vault = InMemoryVault()
        try await vault.beginWebhook()
        let clock = ShiftedClock()
        let node = try WebhookNode(
            "a", over: vault, to: WebhookNode.endpoint(receiver.url),
            backoff: Backoff(first: .seconds(3_600), longest: .seconds(3_600), seed: 1), clock: clock)
        try await WebhookNode.running([node]) {
            try await vault.writeEvents(about: ["anna"])
            node.sender.wake()
            try await eventually("hers fails") { try await vault.webhookSummaries().first?.failing == 1 }
            for number in 1...4 {
                try await vault.writeEvents(about: ["ben"])
                node.sender.wake()
                try await eventually("his is accepted") { receiver.accepted.count == number }
                try await Task.sleep(for: .milliseconds(500))
                clock.advance(byMilliseconds: 31_000)
            }
        }
        // The first message that the receiver accepts could be the end of an outage.
        #expect(receiver.messages.filter { $0.customer == "anna" }.count == 2)
    }

    @Test("After an outage, a message for which the receiver has asked for a longer wait keeps it")
    func postponed() async throws {
        let receiver = try WebhookReceiver {
            $0.customer == "anna" ? .status(503, ("Retry-After", "3000")) : .status(503)
        }
        defer { receiver.stop() }
        let vault = InMemoryVault()
        try await vault.beginWebhook()
        try await vault.writeEvents(about: ["anna", "ben"])
        let node = try WebhookNode(
            "a", over: vault, to: WebhookNode.endpoint(receiver.url),
            backoff: Backoff(first: .seconds(600), longest: .seconds(600), seed: 1))
        try await WebhookNode.running([node]) {
            try await eventually("both fail") { try await vault.webhookSummaries().first?.failing == 2 }
            receiver.answer { _ in .accepted }
            try await vault.writeEvents(about: ["cleo"])
            node.sender.wake()
            try await eventually("the others follow") { receiver.accepted.count == 2 }
            try await Task.sleep(for: .milliseconds(500))
        }
        #expect(receiver.accepted.map(\.customer).sorted() == ["ben", "cleo"])
    }

    @Test("A message that fails for too long is parked, later ones follow, and a replay posts all of them in order")
    func parked() async throws {
        let first = Mutex<Int64?>(nil)
        let receiver = try WebhookReceiver { message in
            first.withLock { first in
                if first == nil { first = message.sequence }
                return first == message.sequence ? .status(500) : .accepted
            }
        }
        defer { receiver.stop() }
        let vault = InMemoryVault()
        try await vault.beginWebhook()
        let events = try await vault.writeEvents(about: ["anna", "anna", "anna"])
        let node = try WebhookNode(
            "a", over: vault, to: WebhookNode.endpoint(receiver.url, givesUpAfter: .seconds(3)))
        let commands = WebhookCommands(vault)
        try await WebhookNode.running([node]) {
            try await eventually("later events follow") { try await Self.isDone(vault) }
            let parked = try await vault.parkedWebhooks(of: "billing", after: .start, limit: 10)
            #expect(parked.map(\.event) == [events[0].place])
            #expect((parked.first?.attempts ?? 0) > 1)
            #expect(parked.first?.problem == "the receiver answered with status 500")
            #expect(receiver.accepted.map(\.sequence) == events.dropFirst().map(\.place.number))
            receiver.answer { _ in .accepted }
            let before = receiver.messages.count
            #expect(try await commands.replayParked("billing", at: Instant(Date())) == 1)
            node.sender.wake()
            try await eventually("all are posted again") { try await Self.isDone(vault) }
            #expect(receiver.messages.dropFirst(before).map(\.sequence) == events.map(\.place.number))
            #expect(try await vault.parkedWebhooks(of: "billing", after: .start, limit: 10) == [])
        }
    }

    @Test("A receiver that answers with 410 gets nothing until it is resumed, and then everything")
    func gone() async throws {
        let receiver = try WebhookReceiver { _ in .status(410) }
        defer { receiver.stop() }
        let vault = InMemoryVault()
        try await vault.beginWebhook()
        var events = try await vault.writeEvents(about: ["anna", "ben"])
        let node = try WebhookNode("a", over: vault, to: WebhookNode.endpoint(receiver.url))
        let commands = WebhookCommands(vault)
        try await WebhookNode.running([node]) {
            try await eventually("it is stopped") { try await vault.webhookState(of: "billing")?.pause != nil }
            let count = receiver.messages.count
            events += try await vault.writeEvents(about: ["anna", "cleo"])
            node.sender.wake()
            try await Task.sleep(for: .milliseconds(500))
            // When the deliveries were stopped, messages about both customers may already have been sent.
            #expect(receiver.messages.count <= max(count, 2))
            receiver.answer { _ in .accepted }
            #expect(try await commands.resume("billing"))
            #expect(try await !commands.resume("billing"))
            node.sender.wake()
            try await eventually("all is delivered") { try await Self.isDone(vault) }
        }
        #expect(Self.faults(receiver.messages.filter { $0.reply.status != 410 }, events) == [])
        let log = try await vault.webhookAttempts(of: "billing", about: nil, before: nil, limit: 100)
        #expect(log.contains { $0.outcome == .gone } && !log.contains { $0.outcome == .failed })
    }

    @Test("Retry-After postpones the next attempt, a slow or long answer fails, and a redirect is not followed")
    func answers() async throws {
        let asked = Mutex(0)
        let replies: [Reply] = [
            .status(429, ("Retry-After", "1")), Reply(status: 200, delay: .seconds(30)),
            Reply(status: 200, length: 100_000), .status(308, ("Location", "http://127.0.0.1:1/other")), .accepted,
        ]
        let receiver = try WebhookReceiver { _ in
            asked.withLock { number in
                defer { number += 1 }
                return replies[min(number, replies.count - 1)]
            }
        }
        defer { receiver.stop() }
        let vault = InMemoryVault()
        try await vault.beginWebhook()
        try await vault.writeEvents(about: ["anna"])
        let node = try WebhookNode(
            "a", over: vault, to: WebhookNode.endpoint(receiver.url, timeout: .milliseconds(700)))
        try await WebhookNode.running([node]) {
            try await eventually("it is delivered") { try await Self.isDone(vault) }
        }
        let log = Array(try await vault.webhookAttempts(of: "billing", about: "anna", before: nil, limit: 9).reversed())
        #expect(log.map(\.status) == [429, nil, nil, 308, 204])
        #expect(log.map(\.number) == [1, 2, 3, 4, 5])
        #expect(
            log.map(\.problem) == [
                "the receiver answered with status 429", "the receiver did not answer in time",
                "the response is longer than the limit", "the receiver redirects, which is not followed", nil,
            ])
        try #require(log.count == 5)
        #expect(log[1].place.at.milliseconds(since: log[0].place.at) >= 1_000)
        #expect(Set(receiver.messages.map(\.id)).count == 1)
        #expect(Set(receiver.messages.map(\.timestamp)).count > 1, "each attempt has its own time")
    }

    // MARK: Several endpoints

    @Test("A webhook that is added begins with the next event, and one endpoint does not delay another")
    func added() async throws {
        let (slow, fast) = (try WebhookReceiver { _ in .status(500) }, try WebhookReceiver())
        defer {
            slow.stop()
            fast.stop()
        }
        let vault = InMemoryVault()
        try await vault.writeEvents(about: ["anna", "ben"])
        try await vault.beginWebhook("slow")
        let node = try WebhookNode(
            "a", over: vault, to: WebhookNode.endpoint(slow.url, name: "slow"),
            WebhookNode.endpoint(fast.url, name: "fast"))
        try await WebhookNode.running([node]) {
            try await eventually("it has begun") { try await vault.webhookState(of: "fast") != nil }
            let events = try await vault.writeEvents(about: ["anna"])
            node.sender.wake()
            try await eventually("the new event is delivered") { fast.messages.count == 1 }
            #expect(fast.messages.map(\.sequence) == events.map(\.place.number))
            try await eventually("the other fails") { slow.messages.count > 3 }
            // Replays all events, and then the events of one customer.
            let commands = WebhookCommands(vault)
            _ = try await commands.replay("fast", of: nil, after: .start, at: Instant(Date()))
            node.sender.wake()
            try await eventually("all is posted again") { fast.messages.count == 4 }
            _ = try await commands.replay("fast", of: "ben", after: .start, at: Instant(Date()))
            node.sender.wake()
            try await eventually("his is posted again") { fast.messages.count == 5 }
            #expect(fast.messages.last?.customer == "ben")
            await #expect(throws: WebhookCommands.Refusal.unknownWebhook(known: ["fast", "slow"])) {
                try await commands.resume("other")
            }
            let newest = try await FeedCursor.newest(in: vault).description
            await #expect(throws: WebhookCommands.Refusal.cursorGone(newest: newest)) {
                try await commands.replay("fast", of: nil, after: try #require(FeedCursor("999")), at: Instant(Date()))
            }
        }
        #expect(Set(fast.messages.map(\.id)).count == 3)
    }

    @Test("After the secrets were replaced, the new ones sign the next attempt, and two secrets give two signatures")
    func rotation() async throws {
        let receiver = try WebhookReceiver()
        defer { receiver.stop() }
        let vault = InMemoryVault()
        try await vault.beginWebhook()
        let endpoint = try WebhookNode.endpoint(receiver.url)
        let node = try WebhookNode("a", over: vault, to: endpoint)
        let new = WebhookSecrets.make()
        try await WebhookNode.running([node]) {
            for secrets in [[WebhookNode.secret], [WebhookNode.secret, new], [new]] {
                endpoint.replaceSecrets(with: try WebhookSecrets(secrets))
                let count = receiver.messages.count
                try await vault.writeEvents(about: ["anna"])
                node.sender.wake()
                try await eventually("it is delivered") { receiver.messages.count == count + 1 }
                try await eventually("it is recorded") { try await Self.isDone(vault) }
            }
        }
        let messages = receiver.messages
        #expect(messages.map { $0.signature.split(separator: " ").count } == [1, 2, 1])
        for (secret, expected) in [(WebhookNode.secret, [true, true, false]), (new, [false, true, true])] {
            let secrets = try WebhookSecrets([secret])
            let verdicts = messages.map { message in
                let verdict: Void? = try? secrets.verify(
                    message.body, id: message.id, timestamp: message.timestamp, signature: message.signature,
                    at: Instant(Date()))
                return verdict != nil
            }
            #expect(verdicts == expected)
        }
    }

    // MARK: Addresses

    @Test("An address uses TLS, or is on this machine, or http is allowed for it")
    func addresses() throws {
        let secrets = try WebhookSecrets([WebhookNode.secret])
        func isAccepted(_ url: String, allowsPlainHTTP: Bool = false) -> Bool {
            (try? WebhookEndpoint(name: "a", url: url, secrets: secrets, allowsPlainHTTP: allowsPlainHTTP)) != nil
        }
        for url in ["https://example.com/hook?a=b", "http://127.0.0.1:1/", "http://localhost", "http://[::1]:80/x"] {
            #expect(isAccepted(url), "\(url)")
        }
        for url in [
            "http://example.com", "http://127.0.0.example.com", "http://10.0.0.1", "ftp://example.com", "example.com",
            "https://", "", "https://anna@example.com", "https://a:b@example.com", "https://example.com/#x",
            "file:///etc/passwd", "http://169.254.169.254/latest",
        ] { #expect(!isAccepted(url), "\(url)") }
        #expect(isAccepted("http://10.0.0.1/hook", allowsPlainHTTP: true))
        #expect(!isAccepted("ftp://10.0.0.1/hook", allowsPlainHTTP: true))
        for name in ["", "A", "1a", "a b", "a_b", "-a", "ä", String(repeating: "a", count: 65)] {
            #expect((try? WebhookEndpoint(name: name, url: "https://a.b", secrets: secrets)) == nil, "\(name)")
        }
    }
}
