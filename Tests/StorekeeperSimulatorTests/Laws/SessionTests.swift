import Storekeeper
import StorekeeperTesting
import Testing

@testable import StorekeeperSimulator

/// Tests with many stores at the same time, and with many customers in one store.
struct SessionTests {
    /// Returns the final state of a session as one number.
    private static func digest(ofSession number: Int) -> TextDigest {
        var random = SplitMix64(seed: UInt64(number))
        let story = GeneratedStory.make(&random, steps: 8...16)
        return TextDigest(story.makeWorld(seed: UInt64(number)).playing(story).picture)
    }

    @Test("A thousand concurrent sessions end like sequential ones")
    func thousandSessions() async {
        let alone = (0..<1000).map(Self.digest(ofSession:))
        let together = await withTaskGroup(of: (Int, TextDigest).self) { group in
            for number in 0..<1000 { group.addTask { (number, Self.digest(ofSession: number)) } }
            return await group.reduce(into: [Int: TextDigest]()) { $0[$1.0] = $1.1 }
        }
        #expect(together.count == 1000)
        for (number, digest) in alone.enumerated() where together[number] != digest {
            Issue.record("session \(number) ends differently when others run at the same time")
        }
        #expect(Set(alone).count > 900, "most stories differ from one another")
    }

    @Test("Concurrent stores with streams, signatures and clocks produce the same stories as alone")
    func storesAtTheSameTime() async throws {
        let alone = try (0..<40).map { try Self.play(UInt64($0)) }
        let together = try await withThrowingTaskGroup(of: (Int, [String]).self) { group in
            for number in 0..<40 { group.addTask { (number, try Self.play(UInt64(number))) } }
            return try await group.reduce(into: [Int: [String]]()) { $0[$1.0] = $1.1 }
        }
        for (number, story) in alone.enumerated() { #expect(together[number] == story) }
    }

    /// Plays a story in a store and returns the signed texts of a customer without the signatures.
    private static func play(_ seed: UInt64) throws -> [String] {
        let store = try SampleStore.make("anna", "bert", seed: seed)
        var random = SplitMix64(seed: seed)
        for step in GeneratedStory.make(&random, steps: 10...15).steps { store.play(step) }
        let signed = try store.evidence(of: "anna").map { text in
            String(decoding: CompactJWS(text)?.payloadContent ?? [], as: UTF8.self)
        }
        return signed + store.happenings().map(World.line(of:))
    }

    @Test("Equal seeds give equal stories, nonces and notification ids, and other seeds give others")
    func seeds() throws {
        func signed(seed: UInt64) throws -> [[UInt8]] {
            let store = try SampleStore.make("anna", seed: seed)
            try store.perform(.buy("pro.monthly", by: "anna", options: PurchaseRequest()))
            try store.advance(byDays: 400)
            let texts = try store.happenings().compactMap { try store.notification(of: $0.id) }
            let uuids = try texts.map { text in
                let bytes = try #require(CompactJWS(text)?.payloadContent)
                let uuid = try JSONReader().read(bytes).root.object?["notificationUUID"]?.string
                return Array(try #require(uuid).utf8)
            }
            let device = SampleStore.device
            let own = try store.appTransaction(of: "anna", device: device)
            return uuids + [try #require(CompactJWS(own)?.payloadContent)]
        }
        #expect(try signed(seed: 7) == signed(seed: 7))
        let (one, other) = (try signed(seed: 7), try signed(seed: 8))
        #expect(one.count == other.count)
        #expect(zip(one, other).allSatisfy { $0 != $1 })
    }

    @Test("In two years of a thousand customers, the world is valid after every step")
    func thousandCustomers() throws {
        var settings = AppSettings()
        settings.gracePeriod = .days16
        let app = SimulatedApp(catalog: SampleStore.catalog, settings: settings)
        var world = World(
            apps: [app], environment: .production, seed: 3, start: SampleStore.day("2024-02-29T12:00:00Z"))
        var (random, reader) = (SplitMix64(seed: 3), InvariantReader())
        let people = (0..<1000).map { CustomerID(rawValue: "customer \($0)") }
        for person in people { try world.perform(SimulatorCall(.createAccount(person, storefront: nil))) }
        let products: [Product.ID] = ["pro.monthly", "pro.yearly", "basic.monthly", "remove.ads", "coins.100"]
        for month in 0..<24 {
            for person in people {
                let product = random.element(of: products) ?? "pro.monthly"
                let reference = TransactionReference.latest(product, of: person)
                let command: SimulatorCommand? =
                    switch random.number(in: 1...40) {
                    case 1...8: .buy(product, by: person, options: PurchaseRequest())
                    case 9: .setAutoRenew(random.chance(30), of: reference)
                    case 10: .changePlan(to: product, by: person, billingPlan: nil)
                    case 11, 12: .setPaymentsFail(random.chance(40), of: person)
                    case 13: .refund(reference, percentage: nil, reason: .other)
                    case 14: .retryBilling(of: reference)
                    case 15: .createFamily(organizer: person)
                    case 16, 17: .joinFamily(person, of: random.element(of: people) ?? person)
                    default: nil
                    }
                guard let command else { continue }
                _ = try? world.perform(SimulatorCall(command))
            }
            try world.perform(SimulatorCall(.advance(to: world.now.adding(days: 30))))
            let findings = reader.findings(in: world)
            #expect(findings.isEmpty, "month \(month): \(findings.prefix(3))")
        }
        #expect(world.chainFindings().isEmpty)
        #expect(world.journal.count > 10_000, "the story has enough events: \(world.journal.count)")
    }
}
