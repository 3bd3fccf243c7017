import Storekeeper
import StorekeeperJWS
import Testing

@testable import StorekeeperSimulator

@Suite("The life of a subscription")
struct SubscriptionLifeTests {
    @Test("Months after a trial of a week are counted from the end of the trial")
    func trialThenMonths() throws {
        let store = try SampleStore.make("anna")
        let outcome = try store.perform(.buy("pro.monthly", by: "anna", options: PurchaseRequest()))
        #expect(outcome == .purchased("2000000000000001"))
        try store.advance(byDays: 100)
        let periods = store.happenings().filter { [.subscribed, .renewed].contains($0.kind) }
        #expect(
            periods.map { $0.expiresAt?.description } == [
                "2026-02-07T12:00:00.000Z", "2026-03-07T12:00:00.000Z", "2026-04-07T12:00:00.000Z",
                "2026-05-07T12:00:00.000Z", "2026-06-07T12:00:00.000Z",
            ])
    }

    @Test("A month that begins on the 31st ends on the last day of a short month, and on the 31st after that")
    func anchorDay() throws {
        let store = try SampleStore.make("anna")
        _ = try store.perform(
            .buy("pro.monthly", by: "anna", options: PurchaseRequest(introductoryEligibility: false)))
        try store.advance(byDays: 65)
        let ends = store.happenings().compactMap(\.expiresAt).map(\.description)
        #expect(ends == ["2026-02-28T12:00:00.000Z", "2026-03-31T12:00:00.000Z", "2026-04-30T12:00:00.000Z"])
    }

    @Test("A recovery in grace gives no free days and keeps the anchor")
    func graceAndRecovery() throws {
        var settings = AppSettings()
        settings.gracePeriod = .days16
        let store = try SampleStore.make("anna", settings: settings)
        _ = try store.perform(
            .buy("pro.monthly", by: "anna", options: PurchaseRequest(introductoryEligibility: false)))
        try store.perform(.setPaymentsFail(true, of: "anna"))
        try store.advance(byDays: 30)
        #expect(store.story(of: "anna").last == "graceStarted")
        _ = try store.perform(.resolveIssue(.latest("pro.monthly", of: "anna")))
        #expect(store.happenings().last?.expiresAt?.description == "2026-03-31T12:00:00.000Z")
        #expect(store.happenings().last?.notification == "DID_RENEW/BILLING_RECOVERY")
    }

    @Test("The engine verifies the evidence and answers from it")
    func engine() async throws {
        let store = try SampleStore.make("anna")
        let backend = try store.backend()
        let verifier = JWSVerifier(
            JWSVerifier.Configuration(roots: [store.root], bundleID: "com.example.game", environments: [.sandbox]))
        var policy = EntitlementPolicy()
        policy.environments[.sandbox] = .grant
        let engine = try await PurchasingStore.open(
            customer: "anna", configuration: StoreConfiguration(catalog: SampleStore.catalog, policy: policy),
            vault: InMemoryVault(), verifier: verifier, backend: backend, clock: store.clock)
        #expect(try await engine.bought("pro.monthly").id == "2000000000000001")
        #expect(engine.store.snapshot.feature("pro", at: store.now).word == "entitled")
    }
}
