import Crypto
import Storekeeper
import StorekeeperAppStore
import StorekeeperJWS
import StorekeeperSimulator
import StorekeeperTesting
import Synchronization
import Testing

@testable import StorekeeperCompanion
@testable import StorekeeperLocalStore
@testable import StorekeeperPages

/// A webhook that passes notifications to a receiver in this process, and loses some of them.
private final class LossyReceiver: Webhook {
    private let receiver: NotificationReceiver
    private let random: Mutex<SplitMix64>
    private let count = Mutex(0)

    init(_ receiver: NotificationReceiver, seed: UInt64) {
        self.receiver = receiver
        random = Mutex(SplitMix64(seed: seed))
    }

    /// The number of lost notifications.
    var lost: Int { count.withLock { $0 } }

    func send(_ body: [UInt8]) async -> WebhookResponse {
        if random.withLock({ $0.chance(50) }) {
            count.withLock { $0 += 1 }
            return WebhookResponse(.timedOut)
        }
        let reply = await receiver.receive(body)
        return WebhookResponse(reply.status == 200 ? .success : .unsuccessfulStatus)
    }
}

@Suite(.system) struct RepairOverHTTPTests {
    @Test(
        "Lost notifications are repaired from the history over HTTP, and the answers are complete",
        arguments: 0..<6)
    func repaired(_ seed: UInt64) async throws {
        let authority = try LocalAuthority(name: "Repair")
        let verifier = JWSVerifier(
            JWSVerifier.Configuration(
                roots: [authority.root], bundleID: ServedStore.bundleID, environments: [.sandbox]))
        let vault = InMemoryVault(accountTokens: .opaque)
        let served = try await ServedStore(authority: authority)
        let catalog = try served.store.catalog()
        let policy = served.scenario.policy
        let pool = StorePool(
            configuration: .init(
                store: StoreConfiguration(catalog: catalog, policy: policy), readsHistories: false), vault: vault,
            verifier: verifier, clock: served.store.clock)
        let receiver = NotificationReceiver(verifier: verifier, pool: pool)
        let webhook = LossyReceiver(receiver, seed: seed)
        let local = await LocalAppStore(store: served.store, scenario: served.scenario, webhook: webhook)
        var random = SplitMix64(seed: seed)
        func step(_ text: String) async throws {
            _ = try await local.carryOut(try served.scenario.step(typed: text, people: served.store.accounts))
        }
        try await step("buy gold.monthly by anna")
        try await step("buy coins.100 by bert")
        for _ in 1...20 {
            try await step(
                random.pick(
                    "buy coins.100 by anna", "buy coins.500 by bert", "advance 1 day", "advance 20 hours",
                    "buy silver.monthly by bert"))
        }
        // The app claims the chains of its customers.
        for transaction in served.store.transactions {
            guard let original = transaction.originalID else { continue }
            let chain = ChainID(bundleID: ServedStore.bundleID, environment: .sandbox, originalID: original)
            try await pool.withStore(transaction.person) { _ = try await $0.claim(chain) }
        }
        #expect(webhook.lost > 0, "seed \(seed)")
        let now = served.store.now
        try await local.serving { url in
            let transport = try AsyncHTTPTransport()
            let client = AppStoreServerClient(
                AppStoreServerConfiguration(
                    bundleID: ServedStore.bundleID,
                    lookup: .only(try AppStoreServerHost(baseURL: url, environment: .sandbox))),
                key: try AppStoreKey(keyID: "KEY1", issuerID: "issuer", privateKey: P256.Signing.PrivateKey()),
                verifier: verifier, transport: transport)
            let repair = NotificationRepair(
                source: AppStoreNotificationHistory(client, in: .sandbox), receiver: receiver)
            let situation = RepairPlan.Situation(
                from: now.adding(days: -29), to: now.adding(milliseconds: 1), expected: 100)
            let report = try await repair.run(.cheapest(for: situation, at: now.adding(milliseconds: 1), in: .sandbox))
            #expect(report.repaired == webhook.lost, "seed \(seed)")
            try await transport.close()
        }
        for person in served.store.accounts {
            let whole = try await Store.open(
                customer: person, configuration: StoreConfiguration(catalog: catalog, policy: policy),
                vault: InMemoryVault(), verifier: verifier, clock: served.store.clock)
            try await whole.ingest(try served.store.evidence(of: person))
            let instant = now.adding(milliseconds: 1000)
            let repaired = try await pool.snapshot(of: person).balances.map { "\($0.id) \($0.amount)" }
            #expect(repaired == whole.snapshot.balances.map { "\($0.id) \($0.amount)" }, "seed \(seed): \(person)")
            for product in catalog.products {
                let found = try await pool.snapshot(of: person).entitlement(for: product.id, at: instant)
                let wanted = whole.entitlement(for: product.id, at: instant)
                #expect(found.isEntitled == wanted.isEntitled, "seed \(seed): \(person), \(product.id)")
            }
        }
    }
}
