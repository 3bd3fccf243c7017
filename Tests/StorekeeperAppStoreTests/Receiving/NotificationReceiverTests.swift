import Storekeeper
import StorekeeperAppStore
import StorekeeperJWS
import StorekeeperSimulator
import StorekeeperTesting
import Synchronization
import Testing

/// Tests of the effect of posted notifications on the stored evidence of customers.
struct NotificationReceiverTests {
    static let scenarios = [
        "a-family-and-its-coins", "billing-retry", "cancel-and-lapse", "coins-partly-refunded",
        "coins-refunded-in-two-parts", "downgrade-takes-effect", "extension-for-all", "family-refund", "grace",
        "price-declined", "refund-requested-and-granted", "resubscribe", "two-groups", "upgrade", "offer-code",
        "account-token", "commitment",
    ]

    @Test("Notifications give the same answers as their evidence alone", arguments: scenarios)
    func sameAnswers(scenario: String) async throws {
        let story = try await NotifiedStory(scenario: scenario)
        #expect(!story.payloads.isEmpty)
        let expected = try await story.picture(of: try await story.directPool())

        // The notifications arrive in order, and then all of them arrive a second time.
        let pool = story.makePool()
        let receiver = NotificationReceiver(verifier: story.verifier, pool: pool)
        for word in ["accepted", "repeated"] {
            for payload in story.payloads {
                let reply = await receiver.receive(NotifiedStory.body(payload))
                #expect(reply.status == 200)
                #expect(reply.word == word)
                #expect(reply.notification?.kind.isKnown == true)
            }
            if word == "accepted" { try await story.claimAll(in: pool) }
            #expect(try await story.picture(of: pool) == expected)
        }

        // The notifications arrive in another order, after the chains were claimed.
        var random = SplitMix64(seed: 7)
        let shuffled = story.makePool()
        try await story.claimAll(in: shuffled)
        let other = NotificationReceiver(verifier: story.verifier, pool: shuffled)
        for payload in story.payloads.shuffled(using: &random) {
            #expect(await other.receive(NotifiedStory.body(payload)).word == "accepted")
        }
        #expect(try await story.picture(of: shuffled) == expected)
    }

    @Test func `Notifications received 64 times concurrently count once`() async throws {
        let story = try await NotifiedStory(scenario: "coins-refunded-in-two-parts")
        let expected = try await story.picture(of: try await story.directPool())
        let pool = story.makePool()
        try await story.claimAll(in: pool)
        let receiver = NotificationReceiver(verifier: story.verifier, pool: pool)
        var words: [String: Int] = [:]
        await withTaskGroup(of: String.self) { group in
            for turn in 0..<64 {
                for payload in turn.isMultiple(of: 2) ? story.payloads : story.payloads.reversed() {
                    group.addTask { await receiver.receive(NotifiedStory.body(payload)).word }
                }
            }
            for await word in group { words[word, default: 0] += 1 }
        }
        #expect(words == ["accepted": story.payloads.count, "repeated": 63 * story.payloads.count])
        #expect(try await story.picture(of: pool) == expected)
    }

    @Test(
        "A notification that cannot be stored is not acknowledged, and accepted on the next attempt", arguments: 0..<6)
    func vaultFails(seed: UInt64) async throws {
        let story = try await NotifiedStory(scenario: "coins-refunded-in-two-parts")
        let expected = try await story.picture(of: try await story.directPool())
        let vault = FaultyVault(NotifiedStory.makeVault())
        let pool = story.makePool(vault)
        try await story.claimAll(in: pool)
        let receiver = NotificationReceiver(verifier: story.verifier, pool: pool)
        var random = SplitMix64(seed: seed)
        for payload in story.payloads {
            var failing = receiver
            switch random.number(in: 0...2) {
            case 0: vault.failWrites()
            case 1: vault.failAcknowledgements()
            default:
                vault.failReads()
                // A new pool, because a pool that has the customer's store in memory does not read the vault.
                failing = NotificationReceiver(verifier: story.verifier, pool: story.makePool(vault))
            }
            let first = await failing.receive(NotifiedStory.body(payload))
            #expect(first.word == "failed vault")
            #expect(first.status == 503)
            vault.failNothing()
            #expect(await receiver.receive(NotifiedStory.body(payload)).status == 200)
        }
        #expect(try await story.picture(of: pool) == expected)
    }

    @Test func `Unowned evidence is parked until its chain is claimed`() async throws {
        let story = try await NotifiedStory(scenario: "purchase")
        let pool = story.makePool()
        let receiver = NotificationReceiver(verifier: story.verifier, pool: pool)
        for payload in story.payloads { #expect(await receiver.receive(NotifiedStory.body(payload)).status == 200) }
        #expect(try await !pool.vault.parked(after: .start, limit: 10).rows.isEmpty)
        try await story.claimAll(in: pool)
        #expect(try await pool.vault.parked(after: .start, limit: 10).rows.isEmpty)
    }

    @Test func `A truncated body is refused and changes nothing`() async throws {
        let story = try await NotifiedStory(scenario: "purchase")
        let payload = try #require(story.payloads.first)
        let pool = story.makePool()
        let receiver = NotificationReceiver(verifier: story.verifier, pool: pool)
        let body = NotifiedStory.body(payload)
        for length in stride(from: 0, to: body.count, by: 97) {
            let reply = await receiver.receive(Array(body.prefix(length)))
            #expect(reply.word == "refused malformedBody")
            #expect(reply.status == 400)
        }
        for length in stride(from: 0, to: payload.utf8.count, by: 97) {
            #expect(await receiver.receive(signedPayload: String(payload.prefix(length))).word == "refused untrusted")
        }
        #expect(try await pool.vault.facts(after: .start, of: nil, limit: 10).isEmpty)
        #expect(try await pool.vault.parked(after: .start, limit: 10).rows.isEmpty)
    }

    private static let manyMembers = (0..<5_000).map { #""m\#($0)":1"# }.joined(separator: ",")

    static let bodies: [(String, String)] = [
        ("", "malformedBody"), ("[]", "malformedBody"), ("{}", "malformedBody"), ("null", "malformedBody"),
        (#"{"signedPayload":7}"#, "malformedBody"), (#"{"signedPayload":null}"#, "malformedBody"),
        (#"{"signedPayload":"x","signedPayload":"y"}"#, "malformedBody"),
        (String(repeating: "[", count: 5_000), "malformedBody"), (#"{"signedPayload":""}"#, "untrusted"),
        (#"{"signedPayload":"a.b.c"}"#, "untrusted"), (#"{"signedPayload":"x","more":[1]}"#, "untrusted"),
        (#"{"signedPayload":"\#(String(repeating: "a", count: 300_000))"}"#, "tooLarge"),
        // Thousands of members, in the body, and in the header and the payload of an unsigned JWS.
        ("{\(manyMembers)}", "tooLarge"),
        (#"{"signedPayload":"e30.\#(Base64URL.encode(Array("{\(manyMembers)}".utf8))).AAAA"}"#, "tooLarge"),
        (#"{"signedPayload":"\#(Base64URL.encode(Array("{\(manyMembers)}".utf8))).e30.AAAA"}"#, "tooLarge"),
    ]

    @Test("A body that is not a notification is refused", arguments: bodies.indices)
    func body(_ index: Int) async throws {
        let story = try await NotifiedStory(scenario: "purchase")
        let receiver = NotificationReceiver(verifier: story.verifier, pool: story.makePool())
        let reply = await receiver.receive(Array(Self.bodies[index].0.utf8))
        #expect(reply.word == "refused \(Self.bodies[index].1)")
        #expect(reply.status == (Self.bodies[index].1 == "tooLarge" ? 413 : 400))
    }

    @Test func `Evidence that is not a notification is refused`() async throws {
        let story = try await NotifiedStory(scenario: "purchase")
        let receiver = NotificationReceiver(verifier: story.verifier, pool: story.makePool())
        let notification = try story.verifier.notification(#require(story.payloads.first)).payloadValue
        let inner = try #require(notification.signedTransactionInfo)
        #expect(await receiver.receive(signedPayload: inner).word == "refused untrusted")
    }
}
