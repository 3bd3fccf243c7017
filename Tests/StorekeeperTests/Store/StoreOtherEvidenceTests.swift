import Storekeeper
import StorekeeperTesting
import Testing

/// Tests of a store's evidence that is neither a transaction nor a renewal info: the App Store's state of a
/// subscription, and app transactions.
struct StoreOtherEvidenceTests {
    private static let gold = TestShop.gold.id
    private static let catalog = Catalog(
        products: TestShop.catalog.products, groups: TestShop.catalog.groups,
        features: [Feature(id: "pro", productIDs: [gold], originalVersionBefore: "2.0")])

    /// A period that ends on day 31.
    private let month = TransactionDraft.purchase(of: TestShop.gold, at: .day(0))
    private var retry: RenewalInfoDraft { RenewalInfoDraft(for: month, signedAt: .day(31)).billingRetry() }

    /// A notification about a grace period, whose renewal info does not name the end of the period.
    private var grace: NotificationDraft {
        with(NotificationDraft(status: 4, of: month, signedAt: .day(33))) { $0.renewalInfo = retry }
    }

    /// The app transaction of a customer who got the app while it was paid.
    private let app = with(AppTransactionDraft(signedAt: .day(5))) {
        $0.originalAppVersion = "1.4"
        $0.originallyPurchasedAt = .day(-30)
    }

    private func appChain() throws -> ChainID { try #require(ChainID(try app.appTransaction())) }

    private func open(
        _ vault: InMemoryVault, at instant: Instant, customer: CustomerID = "anna",
        accepting environments: Set<AppStore.Environment> = [.production]
    ) async throws -> Store {
        try await Store.open(
            customer: customer, configuration: StoreConfiguration(catalog: Self.catalog), vault: vault,
            verifier: DraftVerifier(environments: environments), clock: VirtualClock(instant))
    }

    private func pool(_ vault: InMemoryVault, at instant: Instant) -> StorePool {
        StorePool(
            configuration: StorePool.Configuration(store: StoreConfiguration(catalog: Self.catalog)), vault: vault,
            verifier: DraftVerifier(environments: [.production]), clock: VirtualClock(instant))
    }

    /// Returns the answers about the feature in a customer's events, in order.
    private func answers(of customer: CustomerID, in vault: InMemoryVault) async throws -> [String] {
        try await vault.events(after: .start, of: customer, limit: 100)
            .filter { $0.change.subject == .feature("pro") }.map(\.change.after.word)
    }

    @Test("A notification's status gives a grace period, also after the vault is opened again")
    func status() async throws {
        let vault = InMemoryVault()
        let store = try await open(vault, at: .day(34))
        let report = try await store.ingest([grace.fakeJWS])
        // Only the transaction and the renewal info inside the notification are counted.
        #expect((report.new, report.known, report.parked, report.ignored) == (2, 0, 0, 0))
        #expect(report.failures.isEmpty && report.diagnostics.isEmpty)
        #expect(try await vault.load("anna").facts.count == 3)
        let again = try await store.ingest([grace.fakeJWS])
        #expect((again.new, again.known, again.parked) == (0, 2, 0))
        for store in [store, try await open(vault, at: .day(34))] {
            #expect(store.entitlement(for: Self.gold).reason == .gracePeriod)
            #expect(store.isEntitled(Self.gold) && store.hasFeature("pro"))
            #expect(store.entitlement(for: Self.gold, at: .day(59)).reason == .billingRetry)
        }
    }

    @Test("A status counts from when it was learned on, if the question is what was known then")
    func statusAsKnown() async throws {
        let vault = InMemoryVault()
        try await open(vault, at: .day(32)).ingest([month.fakeJWS, retry.fakeJWS])
        let store = try await open(vault, at: .day(34))
        let report = try await store.ingest([grace.fakeJWS])
        // The notification is new, but what is inside it was known.
        #expect((report.new, report.known) == (0, 2))
        #expect(store.entitlement(for: Self.gold).reason == .gracePeriod)
        let before = try await store.state(asKnownAt: .day(33))
        #expect(before.snapshot.entitlement(for: Self.gold, at: .day(34)).reason == .billingRetry)
        let after = try await store.state(asKnownAt: .day(34))
        #expect(after.snapshot.entitlement(for: Self.gold, at: .day(34)).reason == .gracePeriod)
    }

    @Test("A status of a subscription without an owner is parked, and counts once the subscription is claimed")
    func waitingStatus() async throws {
        let vault = InMemoryVault()
        let pool = pool(vault, at: .day(34))
        try await pool.receive(TransactionUpdate(.evidence([grace.fakeJWS])))
        #expect(try await vault.allParked().count == 3)
        let chain = month.chain
        let outcome = try await pool.withStore("anna") { try await $0.claim(chain) }
        guard case .claimed(let report) = outcome else {
            Issue.record("the claim was refused: \(outcome)")
            return
        }
        #expect((report.new, report.known) == (2, 0))
        #expect(try await pool.snapshot(of: "anna").entitlement(for: Self.gold, at: .day(34)).reason == .gracePeriod)
        #expect(try await vault.allParked().isEmpty)
        // The owner's later notification goes to the owner at once.
        let ended = with(grace) {
            $0.status = 3
            $0.signedAt = .day(40)
        }
        try await pool.receive(TransactionUpdate(.evidence([ended.fakeJWS])))
        #expect(try await pool.snapshot(of: "anna").entitlement(for: Self.gold, at: .day(40)).reason == .billingRetry)
        #expect(try await vault.allParked().isEmpty)
    }

    @Test("A verified app transaction gives a feature of the paid app, also after the vault is opened again")
    func paidApp() async throws {
        let vault = InMemoryVault()
        let store = try await open(vault, at: .day(6))
        let report = try await store.ingest([app.fakeJWS])
        #expect((report.new, report.known, report.ignored) == (1, 0, 0))
        #expect(try await store.ingest([app.fakeJWS]).known == 1)
        for store in [store, try await open(vault, at: .day(6))] {
            #expect(store.feature("pro").reason == .paidApp && store.hasFeature("pro"))
            #expect(store.entitlement(for: Self.gold).reason == .neverSynced)
        }
        #expect(try await answers(of: "anna", in: vault) == ["entitled"])
        let chain = BindingSubject.chain(try appChain())
        #expect(try await vault.holders(of: [chain]) == [chain: "anna"])
        // Without an id nobody can own it, so it is not stored.
        let nameless = with(app) { $0.appTransactionID = nil }
        let other = try await store.ingest([nameless.fakeJWS])
        #expect((other.new, other.ignored, other.failures.count) == (0, 1, 0))
        #expect(try await vault.load("anna").facts.count == 1)
    }

    @Test("An app transaction of another customer is a conflict, and moves only by a transfer")
    func paidAppOfAnother() async throws {
        let vault = InMemoryVault()
        let (anna, ben) = (try await open(vault, at: .day(6)), try await open(vault, at: .day(6), customer: "ben"))
        try await anna.ingest([app.fakeJWS])
        let copy = with(app) { $0.signedAt = .day(6) }
        let report = try await ben.ingest([copy.fakeJWS])
        #expect((report.new, report.parked) == (0, 1))
        #expect(report.conflicts.map(\.holder) == ["anna"])
        #expect(report.conflicts.map(\.originalTransactionID) == ["app:700000000000000001"])
        #expect(!ben.hasFeature("pro"))

        let receipt = try await ben.transfer(.chain(try appChain()), because: "a new account")
        #expect(receipt.previousOwner == "anna" && receipt.adopted.new == 1)
        #expect(ben.feature("pro").reason == .paidApp)
        try await anna.refresh()
        #expect(!anna.hasFeature("pro"))
        #expect(try await answers(of: "anna", in: vault) == ["entitled", "never"])
        #expect(try await answers(of: "ben", in: vault) == ["entitled"])
        #expect(try await anna.ingest([app.fakeJWS]).conflicts.map(\.holder) == ["ben"])
    }

    @Test("The app transaction id that Xcode gives to everybody belongs to nobody")
    func sharedDownload() async throws {
        let vault = InMemoryVault()
        let constant = with(app) { ($0.environment, $0.appTransactionID) = (.xcode, "0") }
        for customer in ["anna", "ben"] as [CustomerID] {
            let store = try await open(vault, at: .day(6), customer: customer, accepting: [.xcode])
            let report = try await store.ingest([constant.fakeJWS])
            #expect((report.new, report.ignored, report.failures.count) == (0, 1, 0))
            #expect(report.conflicts.isEmpty)
        }
        #expect(try await vault.allParked().isEmpty)
    }

    @Test("An app transaction that nobody presented is parked until it is claimed, and an erasure removes it")
    func claimedPaidApp() async throws {
        let vault = InMemoryVault()
        let pool = pool(vault, at: .day(6))
        try await pool.receive(TransactionUpdate(.evidence([app.fakeJWS])))
        #expect(try await vault.allParked().count == 1)
        let chain = try appChain()
        #expect(try await vault.chains(originalID: "app:700000000000000001") == [chain])
        _ = try await pool.withStore("anna") { try await $0.claim(chain) }
        #expect(try await pool.snapshot(of: "anna").feature("pro", at: .day(6)).reason == .paidApp)
        #expect(try await vault.allParked().isEmpty)
        #expect(try await vault.erase("anna", reason: "asked for", at: .day(7)).facts == 1)
        #expect(try await vault.facts(after: .start, of: nil, limit: 9).isEmpty)
        #expect(try await !open(vault, at: .day(8)).hasFeature("pro"))
    }
}
