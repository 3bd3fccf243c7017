import Storekeeper
import StorekeeperTesting
import Testing

/// Tests of evidence whose environment a store accepts or refuses, and of evidence that counts for nothing.
struct StoreEnvironmentTests {
    private let ads = TransactionDraft.purchase(of: TestShop.removeAds, at: .day(0)).made(in: .sandbox)
    private let coins = TransactionDraft.purchase(of: TestShop.coins, at: .day(0), id: "2000").made(in: .sandbox)

    private func open(
        accepting environments: Set<AppStore.Environment>,
        _ rules: [AppStore.Environment: EntitlementPolicy.EnvironmentRule]? = nil,
        vault: InMemoryVault = InMemoryVault()
    ) async throws -> Store {
        var policy = EntitlementPolicy()
        if let rules { policy.environments = rules }
        return try await Store.open(
            customer: "anna", configuration: StoreConfiguration(catalog: TestShop.catalog, policy: policy),
            vault: vault, verifier: DraftVerifier(environments: environments), clock: VirtualClock(.day(1)))
    }

    @Test("The verifier alone decides which environments count; the policy only names exceptions")
    func oneSetting() async throws {
        let store = try await open(accepting: [.production, .sandbox])
        let report = try await store.ingest([ads.fakeJWS, coins.fakeJWS])
        #expect((report.new, report.failures.count, report.diagnostics) == (2, 0, []))
        #expect(store.isEntitled(TestShop.removeAds.id))
        #expect(store.balance(of: "coins").amount == 500)
        #expect(try await store.diagnostics().isEmpty)

        // A policy that names the environment cannot widen what the verifier accepts.
        let strict = try await open(accepting: [.production], [.production: .grant, .sandbox: .grant])
        let refused = try await strict.ingest([ads.fakeJWS])
        #expect((refused.new, refused.failures.map(\.code)) == (0, [.environmentRefused]))
        #expect(!strict.isEntitled(TestShop.removeAds.id))
    }

    @Test("Evidence that a verifier no longer accepts gives no access, and the store says so")
    func narrowedVerifier() async throws {
        let vault = InMemoryVault()
        try await open(accepting: [.sandbox], vault: vault).ingest([ads.fakeJWS])
        let store = try await open(accepting: [.production], vault: vault)
        #expect(!store.isEntitled(TestShop.removeAds.id))
        let found = try await store.diagnostics()
        #expect(found.map(\.code) == [.environmentRefused])
        #expect(found.map(\.subject) == ["remove.ads"])
    }

    @Test(
        "Accepted evidence that the policy shadows or refuses is stored and reported",
        arguments: [EntitlementPolicy.EnvironmentRule.shadow, .refuse])
    func exception(rule: EntitlementPolicy.EnvironmentRule) async throws {
        let store = try await open(accepting: [.production, .sandbox], [.sandbox: rule])
        // Repeated evidence is reported again: `known` alone would look like success.
        for _ in 0..<2 {
            let report = try await store.ingest([ads.fakeJWS, coins.fakeJWS])
            #expect(report.diagnostics.map(\.code) == [.environmentRefused, .environmentRefused])
            #expect(report.diagnostics.map(\.subject) == ["coins.500", "remove.ads"])
        }
        #expect(store.balance(of: "coins").amount == 0)
        // The exception concerns the sandbox only.
        let production = TransactionDraft.purchase(of: TestShop.gold, at: .day(0), id: "3000")
        #expect(try await store.ingest([production.fakeJWS]).diagnostics.isEmpty)
        #expect(store.isEntitled(TestShop.gold.id))
    }

    @Test("A purchase whose type the catalog contradicts, and a renewal info without its transaction, are reported")
    func uncounted() async throws {
        let store = try await open(accepting: [.production])
        let wrong = TransactionDraft(productID: TestShop.coins.id, type: .nonConsumable, purchasedAt: .day(0))
        let gold = TransactionDraft.purchase(of: TestShop.gold, at: .day(0), id: "3000")
        let info = RenewalInfoDraft(for: gold)
        let report = try await store.ingest([wrong.fakeJWS, info.fakeJWS])
        #expect(report.diagnostics.map(\.code) == [.conflictingType, .unpairedRenewalInfo])
        #expect(report.diagnostics.map(\.subject) == ["coins.500", "3000"])
        #expect(try await store.ingest([gold.fakeJWS, info.fakeJWS]).diagnostics.isEmpty)
    }

    /// A verifier for one app, as `JWSVerifier` with a bundle id is.
    private struct AppVerifier: TransactionVerifier {
        let environments = AppStore.Environment.known

        func verify(_ jws: String) -> CheckedEvidence {
            let evidence = TestVerifier().verify(jws)
            guard case .transaction(.verified(let transaction)) = evidence,
                transaction.appBundleID != "com.example.game"
            else { return evidence }
            return .transaction(
                .unverified(transaction, VerificationError(.bundleMismatch, "the transaction is of another app")))
        }
    }

    @Test("A renewal info of another app's purchase is not reported as unpaired beside its transaction")
    func otherApp() async throws {
        let store = try await Store.open(
            customer: "anna", configuration: StoreConfiguration(catalog: TestShop.catalog), vault: InMemoryVault(),
            verifier: AppVerifier(), clock: VirtualClock(.day(1)))
        let other = with(TransactionDraft.purchase(of: TestShop.gold, at: .day(0))) {
            $0.bundleID = "com.example.other"
        }
        let report = try await store.ingest([other.jws, RenewalInfoDraft(for: other).jws])
        #expect(report.failures.map(\.code) == [.bundleMismatch])
        #expect(report.diagnostics.isEmpty)
    }
}
