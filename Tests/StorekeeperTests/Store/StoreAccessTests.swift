import Storekeeper
import StorekeeperTesting
import Testing

@Suite("Access without a purchase, in a store") struct StoreAccessTests {
    @Test("Granted access is in the snapshot when the call returns, and ends at its end")
    func granting() async throws {
        let bench = StoreBench(.day(1))
        let store = try await bench.open()
        let receipt = try await store.grantAccess(
            to: .feature("pro"), until: .day(11), because: "an outage", key: "ticket", recordedBy: "maria")
        #expect(!receipt.isReplay && receipt.grant.recordedBy == "maria" && receipt.grant.grantedAt == .day(1))
        #expect(store.hasFeature("pro") && store.feature("pro").reason == .granted)
        #expect(!store.isEntitled("gold.monthly") && store.currentEntitlements.isEmpty)
        #expect(store.feature("pro", at: Instant.day(11).adding(milliseconds: -1)).isEntitled)
        #expect(!store.feature("pro", at: .day(11)).isEntitled)

        try await store.grantAccess(to: .product("remove.ads"), until: .day(5), because: "a gift", key: "gift")
        #expect(store.isEntitled("remove.ads") && store.hasFeature("ad-free"))
        #expect(store.purchaseInfo(for: "remove.ads").sentence == "Given without a purchase. Ends in 4 days.")
        #expect(store.snapshot.balances.isEmpty && store.subscriptionStatuses(group: "membership").isEmpty)
        #expect(try await store.grants.map(\.id) == ["ticket", "gift"])
    }

    @Test("The same key grants once; another request with it, or with the key of a spend, is refused")
    func keys() async throws {
        let bench = StoreBench(.day(1))
        let store = try await bench.open()
        try await store.grant(5, of: "coins", because: "a gift", key: "used")
        let first = try await store.grantAccess(to: .feature("pro"), until: .day(11), because: "r", key: "k")
        let again = try await store.grantAccess(
            to: .feature("pro"), until: .day(11), because: "r", key: "k", recordedBy: "otto")
        #expect(again.isReplay && again.grant == first.grant)
        await #expect(throws: LedgerRefusal.keyReused) {
            try await store.grantAccess(to: .feature("pro"), until: .day(12), because: "r", key: "k")
        }
        await #expect(throws: LedgerRefusal.keyReused) {
            try await store.grantAccess(to: .feature("pro"), until: .day(11), because: "r", key: "used")
        }
        await #expect(throws: LedgerRefusal.keyReused) { try await store.spend(1, of: "coins", key: "k") }
        #expect(store.balance(of: "coins").amount == 5)
    }

    @Test(
        "Access to a consumable or to an unknown id, and access without a future, is refused and changes nothing",
        arguments: [
            (AccessGrant.Subject.product("coins.500"), 2, VaultError.Code.consumable),
            (.product("gold.monthy"), 2, .unknownProduct), (.feature("prp"), 2, .unknownFeature),
            (.feature("pro"), 1, .invalidRequest), (.feature("pro"), 0, .invalidRequest),
        ] as [(AccessGrant.Subject, Int, VaultError.Code)])
    func refused(_ subject: AccessGrant.Subject, _ day: Int, _ code: VaultError.Code) async throws {
        let bench = StoreBench(.day(1))
        let store = try await bench.open()
        let error = await #expect(throws: VaultError.self) {
            try await store.grantAccess(to: subject, until: .day(day), because: "r", key: "k")
        }
        #expect(error?.code == code)
        #expect(try await store.grants.isEmpty)
        if code == .consumable { #expect(error?.message.contains("vault grant BALANCE QUANTITY") == true) }
    }

    @Test("A purchase decides while it gives access, and the grant shows beside it")
    func purchase() async throws {
        let bench = StoreBench(.day(1))
        let store = try await bench.open()
        try await store.grantAccess(to: .product("gold.monthly"), until: .day(90), because: "r", key: "k")
        let bought = TransactionDraft.purchase(of: TestShop.gold, at: .day(1), id: "2000")
        try await store.ingest([bought.jws])
        #expect(store.entitlement(for: "gold.monthly").reason == .active)
        let answers = store.snapshot.answers(at: .day(2)).description
        #expect(answers.contains("\"grantedUntil\":\"\(Instant.day(90))\""))
        #expect(store.entitlement(for: "gold.monthly", at: .day(80)).reason == .granted)
        let steps = try await store.explain("gold.monthly", at: .day(2)).steps
        #expect(steps.contains { $0.rule.contains("comes before access without a purchase") }, "\(steps)")
    }

    @Test("A revoked grant ends now; what was answered before stays")
    func revoking() async throws {
        let bench = StoreBench(.day(1))
        let store = try await bench.open()
        try await store.grantAccess(to: .feature("pro"), until: .day(90), because: "r", key: "k")
        bench.clock.set(.day(4))
        let receipt = try await store.revokeAccess(grantedBy: "k", because: "the wrong person", recordedBy: "otto")
        #expect(!receipt.isReplay && receipt.grant.revocation?.at == .day(4))
        #expect(!store.hasFeature("pro") && store.feature("pro", at: .day(3)).isEntitled)
        #expect(try await store.revokeAccess(grantedBy: "k", because: "again").isReplay)
        await #expect(throws: LedgerRefusal.unknownGrant) {
            try await store.revokeAccess(grantedBy: "other", because: "r")
        }
        let replay = try await store.grantAccess(to: .feature("pro"), until: .day(90), because: "r", key: "k")
        #expect(replay.isReplay && replay.grant.revocation != nil && !store.hasFeature("pro"))
        // With the evidence that was known on day 3, the access is not yet revoked. With the evidence of day 0, it is
        // not yet granted.
        #expect(try await store.state(asKnownAt: .day(3)).snapshot.hasFeature("pro", at: .day(5)))
        #expect(try await !store.state(asKnownAt: .day(0)).snapshot.hasFeature("pro", at: .day(5)))
        #expect(try await !store.state(asKnownAt: .day(4)).snapshot.hasFeature("pro", at: .day(5)))
    }

    @Test("Each change of an answer is an event: granting, the end, and revoking")
    func events() async throws {
        let bench = StoreBench(.day(1))
        let store = try await bench.open()
        try await store.ingest([], isComplete: true)
        try await store.grantAccess(to: .feature("pro"), until: .day(3), because: "r", key: "a")
        bench.clock.set(.day(4))
        try await store.grantAccess(to: .feature("pro"), until: .day(90), because: "r", key: "b")
        bench.clock.set(.day(5))
        try await store.revokeAccess(grantedBy: "b", because: "r")
        let changes = try await bench.vault.events(after: .start, of: store.customer, limit: 99).map(\.change)
        #expect(
            changes.map { "\($0.at) \($0)" } == [
                "\(Instant.day(1)) feature pro is entitled (granted), was never (noPurchase)",
                "\(Instant.day(3)) feature pro is never (noPurchase), was entitled (granted)",
                "\(Instant.day(4)) feature pro is entitled (granted), was never (noPurchase)",
                "\(Instant.day(5)) feature pro is never (noPurchase), was entitled (granted)",
            ])
    }

    @Test("Another store of the customer sees the grant, and a restarted one loads it")
    func others() async throws {
        let bench = StoreBench(.day(1))
        let (store, other) = (try await bench.open(), try await bench.open())
        try await store.grantAccess(to: .feature("pro"), until: .day(90), because: "r", key: "k")
        #expect(try await other.refresh() && other.hasFeature("pro"))
        #expect(try await bench.open().hasFeature("pro"))
        #expect(try await other.grantAccess(to: .feature("pro"), until: .day(90), because: "r", key: "k").isReplay)
    }
}
