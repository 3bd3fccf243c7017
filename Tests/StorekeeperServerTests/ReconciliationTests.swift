import Crypto
import Storekeeper
import StorekeeperAppStore
import StorekeeperJWS
import StorekeeperSimulator
import StorekeeperTesting
import Testing

@testable import StorekeeperCompanion
@testable import StorekeeperLocalStore
@testable import StorekeeperPages

/// A vault with older evidence, a local App Store with newer transactions, and a reconciliation of both over HTTP.
private struct Reconciling {
    let served: ServedStore
    let verifier: JWSVerifier
    let catalog: Catalog
    let vault = InMemoryVault(accountTokens: .opaque)
    let people: [CustomerID]

    init(people: [CustomerID]) async throws {
        let authority = try LocalAuthority(name: "Reconciliation")
        verifier = JWSVerifier(
            JWSVerifier.Configuration(
                roots: [authority.root], bundleID: ServedStore.bundleID, environments: [.sandbox]))
        served = try await ServedStore(people: people, authority: authority) { $0.wallClock = WallClock() }
        catalog = try served.store.catalog()
        self.people = people
    }

    func step(_ text: String) async throws {
        _ = try await served.local.carryOut(try served.scenario.step(typed: text, people: served.store.accounts))
    }

    var configuration: StoreConfiguration { StoreConfiguration(catalog: catalog, policy: served.scenario.policy) }

    func open(_ person: CustomerID, in vault: InMemoryVault) async throws -> Store {
        try await Store.open(
            customer: person, configuration: configuration, vault: vault, verifier: verifier,
            clock: served.store.clock)
    }

    /// Commits all current evidence of the store to a vault.
    func teach(_ vault: InMemoryVault, _ chosen: [CustomerID]? = nil) async throws {
        for person in chosen ?? people {
            try await open(person, in: vault).ingest(
                try served.store.evidence(of: person), isComplete: true)
        }
    }

    /// Runs a body with a reconciliation over HTTP.
    func with(
        repairs: Bool = true, claims: Bool = false, cut percent: Int = 0, seed: UInt64 = 0,
        _ body: @escaping @Sendable (Reconciliation, CutTransport) async throws -> Void
    ) async throws {
        try await served.local.serving { url in
            let http = try AsyncHTTPTransport()
            let transport = CutTransport(http, seed: seed, percent: percent)
            let client = AppStoreServerClient(
                AppStoreServerConfiguration(
                    bundleID: ServedStore.bundleID,
                    lookup: .only(try AppStoreServerHost(baseURL: url, environment: .sandbox)), maximumAttempts: 1,
                    failuresBeforePause: .max),
                key: try AppStoreKey(keyID: "KEY1", issuerID: "issuer", privateKey: P256.Signing.PrivateKey()),
                verifier: verifier, transport: transport)
            let reconciliation = Reconciliation(
                Reconciliation.Configuration(store: configuration, repairs: repairs, claims: claims, concurrency: 2),
                client: client,
                vault: vault, verifier: verifier, clock: served.store.clock)
            let result: Result<Void, any Error>
            do { result = .success(try await body(reconciliation, transport)) } catch { result = .failure(error) }
            try await http.close()
            try result.get()
        }
    }

    /// Returns a customer's balances and answers.
    func state(_ vault: InMemoryVault, of person: CustomerID) async throws -> [String] {
        let snapshot = try await open(person, in: vault).snapshot
        let now = served.store.now
        return snapshot.balances.map { "\($0.id) \($0.amount)" }
            + catalog.products.map { "\($0.id) \(snapshot.entitlement(for: $0.id, at: now).word)" }
    }

    func entryCount(_ vault: InMemoryVault, of person: CustomerID) async throws -> Int {
        try await vault.entries(after: .start, of: person, limit: 10_000).count
    }
}

@Suite(.system) struct ReconciliationTests {
    @Test(
        "A network that is cut often loses and duplicates nothing, and finished work is not repeated",
        arguments: 0..<6)
    func cuts(_ seed: UInt64) async throws {
        let people = (10..<34).map { CustomerID(rawValue: "customer-\($0)") }
        let shop = try await Reconciling(people: people)
        for person in people {
            try await shop.step("buy \(person.rawValue.hasSuffix("3") ? "silver.monthly" : "coins.100") by \(person)")
        }
        try await shop.teach(shop.vault)
        let whole = InMemoryVault(accountTokens: .opaque)
        try await shop.teach(whole)
        var random = SplitMix64(seed: seed)
        for _ in 0..<40 {
            let person = people[Int(random.next() % UInt64(people.count))]
            try await shop.step(
                random.pick(
                    "buy coins.100 by \(person)", "buy gold.monthly by \(person)", "buy remove.ads by \(person)",
                    "advance 8 days"))
        }
        try await shop.step("refund coins.100 by \(people[1])")
        try await shop.teach(whole)
        let last = try await served(shop, seed: seed)
        #expect(last.compared == people.count, "seed \(seed)")
        for person in people {
            let found = try await shop.state(shop.vault, of: person)
            #expect(try await found == shop.state(whole, of: person), "seed \(seed): \(person)")
            let entries = try await shop.entryCount(shop.vault, of: person)
            #expect(try await entries == shop.entryCount(whole, of: person), "seed \(seed): \(person)")
        }
    }

    /// Runs reconciliations over a network that is cut, until a reconciliation completes.
    private func served(_ shop: Reconciling, seed: UInt64) async throws -> ReconciliationReport {
        let (reports, results) = AsyncStream.makeStream(of: ReconciliationReport.self)
        try await shop.with(claims: true, cut: 4, seed: seed) { reconciliation, transport in
            for run in 1...500 {
                let before = try await compared(shop)
                var first: Int?
                do {
                    let report = try await reconciliation.run(onProgress: { first = first ?? $0 })
                    #expect(report.resumed == before, "seed \(seed), run \(run)")
                    results.yield(report)
                    return
                } catch let error as AppStoreServerError {
                    #expect(error.code == .unreachable, "seed \(seed): \(error)")
                }
                // Each run begins at the place at which the previous run ended.
                #expect(first == before, "seed \(seed), run \(run)")
                let after = try await compared(shop)
                #expect(after >= before, "seed \(seed), run \(run)")
            }
        }
        results.finish()
        return try #require(await reports.first { _ in true }, "seed \(seed): it never completed")
    }

    /// Returns the number of compared customers, according to the place that is stored in the vault.
    private func compared(_ shop: Reconciling) async throws -> Int {
        guard let cursor = try await shop.vault.cursor(of: Self.name) else { return 0 }
        let object = try JSONReader().read(Array(cursor.rawValue.utf8)).root.object
        return Int(try #require(object?["compared"]?.int64))
    }

    private static let name = "reconciliation:\(ServedStore.bundleID)"

    @Test("A resumed reconciliation does not ask about finished customers again, and a new one does")
    func resumption() async throws {
        let people = (10..<30).map { CustomerID(rawValue: "customer-\($0)") }
        let shop = try await Reconciling(people: people)
        for person in people { try await shop.step("buy coins.100 by \(person)") }
        try await shop.teach(shop.vault)
        try await shop.with { reconciliation, transport in
            await #expect(throws: AppStoreServerError.self) {
                try await reconciliation.run(onProgress: { if $0 >= 10 { transport.setPercent(100) } })
            }
            transport.setPercent(0)
            let asked = transport.removeAsked().count
            let report = try await reconciliation.run()
            #expect(report.resumed >= 8 && report.compared == people.count)
            #expect(transport.removeAsked().count < 3 * people.count && asked > 0)
            // After a completed run the next begins from the start.
            let again = try await reconciliation.run()
            #expect(again.resumed == 0 && again.compared == people.count)
            #expect(transport.removeAsked().count == 3 * people.count)
        }
    }

    @Test("Equal evidence is not written again, although the App Store signs it again")
    func agreement() async throws {
        let shop = try await Reconciling(people: ["anna", "bert"])
        try await shop.step("buy gold.monthly by anna")
        try await shop.step("buy coins.500 by bert")
        try await shop.step("advance 40 days")
        try await shop.teach(shop.vault)
        try await shop.with { reconciliation, _ in
            let first = try await reconciliation.run()
            #expect(first.differing == 0 && first.compared == 2)
            let before = try await shop.vault.version(of: "anna").version
            let second = try await reconciliation.run()
            #expect(second.differing == 0 && second.requests == first.requests)
            #expect(try await shop.vault.version(of: "anna").version == before)
        }
    }

    @Test("Differences are reported with answers and balances; without mending nothing is written")
    func differences() async throws {
        let shop = try await Reconciling(people: ["anna", "bert"])
        try await shop.step("buy gold.monthly by anna")
        try await shop.step("buy coins.500 by bert")
        try await shop.teach(shop.vault)
        try await shop.step("refund gold.monthly by anna")
        try await shop.step("buy coins.100 by bert")
        let version = try await shop.vault.version(of: "anna").version
        try await shop.with(repairs: false, claims: true) { reconciliation, _ in
            var found: [CustomerDifference] = []
            let report = try await reconciliation.run(onDifference: { found.append($0) })
            #expect(report.open == 2 && report.repaired == 0)
            #expect(found.map(\.customer) == ["anna", "bert"])
            #expect(found.first?.changed.count == 1 && found.first?.missing.isEmpty == true)
            #expect(found.last?.missing.count == 1 && found.last?.changed.isEmpty == true)
            #expect(try await shop.vault.version(of: "anna").version == version)
            #expect(try await shop.vault.cursor(of: Self.name) == nil)
        }
        try await shop.with(claims: true) { reconciliation, _ in
            var found: [CustomerDifference] = []
            let report = try await reconciliation.run(onDifference: { found.append($0) })
            #expect(report.repaired == 2 && report.open == 0)
            let change = try #require(found.first?.answers.first)
            #expect(change.productID == "gold.monthly" && change.before == "entitled" && change.after == "lapsed")
            #expect(found.last?.balances == ["coins": 100])
            #expect(try await reconciliation.run().differing == 0)
        }
    }

    @Test("A transaction that the App Store does not know is reported and kept, and the others are compared")
    func unknown() async throws {
        let shop = try await Reconciling(people: ["anna", "bert"])
        try await shop.step("buy coins.100 by anna")
        try await shop.step("buy coins.500 by anna")
        try await shop.step("buy coins.500 by bert")
        try await shop.teach(shop.vault)
        try await shop.step("delete coins.500 by anna")
        try await shop.step("clear bert")
        try await shop.step("buy gold.monthly by bert")
        try await shop.with { reconciliation, _ in
            var found: [CustomerDifference] = []
            let report = try await reconciliation.run(onDifference: { found.append($0) })
            #expect(report.compared == 2 && report.open == 2, "\(found)")
            #expect(found.first?.unknown.count == 1 && found.first?.isRepaired == false)
        }
        #expect(try await shop.state(shop.vault, of: "anna").contains("coins 600"))
    }

    @Test("An unclaimed transaction is reported and parked once; a claimed one belongs to its customer")
    func sharedAccount() async throws {
        let shop = try await Reconciling(people: ["anna"])
        try await shop.step("buy gold.monthly by anna")
        try await shop.teach(shop.vault)
        // A second customer of the game uses the same Apple Account, and there is a purchase from the App Store's page.
        try await shop.step("buy outside app remove.ads by anna")
        try await shop.with { reconciliation, _ in
            for _ in 1...2 {
                var found: [CustomerDifference] = []
                let report = try await reconciliation.run(onDifference: { found.append($0) })
                #expect(found.first?.unclaimed.count == 1 && found.first?.missing.isEmpty == true)
                #expect(report.open == 0)
            }
        }
        let parked = try await shop.vault.parked(after: .start, limit: 10).rows
        #expect(parked.count == 1)
        let fact = try #require(parked.first?.fact.transaction)
        #expect(try await shop.vault.claim(.chain(ChainID(fact)), for: "cleo", at: shop.served.store.now) == nil)
        try await shop.with { reconciliation, _ in
            let report = try await reconciliation.run()
            #expect(report.differing == 0)
        }
    }

    @Test("Without a network a reconciliation ends at once and stores no place")
    func noNetwork() async throws {
        let shop = try await Reconciling(people: ["anna"])
        try await shop.step("buy gold.monthly by anna")
        try await shop.teach(shop.vault)
        try await shop.with { reconciliation, transport in
            transport.setPercent(100)
            await #expect(throws: AppStoreServerError.self) { try await reconciliation.run() }
            let place = try await shop.vault.cursor(of: Self.name)
            #expect(place == nil)
            transport.setPercent(0)
            let report = try await reconciliation.run()
            #expect(report.compared == 1)
        }
    }
}
