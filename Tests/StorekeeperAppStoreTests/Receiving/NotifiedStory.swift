import Crypto
import Foundation
import Storekeeper
import StorekeeperAppStore
import StorekeeperJWS
import StorekeeperSimulator
import StorekeeperTesting
import Testing

/// A story of a simulated App Store with its notifications, and pools that receive them.
struct NotifiedStory: Sendable {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../Configuration/scenarios").standardizedFileURL

    let store: SimulatedAppStore
    let bundleID: String
    let verifier: JWSVerifier
    let catalog: Catalog
    let policy: EntitlementPolicy
    /// The signed payloads, in the order of the story.
    let payloads: [String]
    /// The customer of each chain.
    let chains: [ChainID: CustomerID]

    /// Plays a scenario.
    init(scenario name: String) async throws {
        let scenario = try Scenario(contentsOfFile: Self.folder.appendingPathComponent("\(name).yaml").path)
        var runner = try await ScenarioRunner(scenario)
        _ = try await runner.run()
        try self.init(runner.store, environment: scenario.environment, policy: scenario.policy)
    }

    init(_ store: SimulatedAppStore, environment: AppStore.Environment, policy: EntitlementPolicy) throws {
        self.store = store
        let app = try #require(store.happenings().lazy.compactMap(\.app).first)
        bundleID = app
        catalog = try store.catalog(of: app)
        self.policy = policy
        verifier = JWSVerifier(.init(roots: [store.root], bundleID: app, environments: [environment]))
        var chains: [ChainID: CustomerID] = [:]
        var payloads: [String] = []
        for happening in store.happenings() where happening.app == app {
            if let payload = try store.notification(of: happening.id) { payloads.append(payload) }
            if let customer = happening.customer, let id = happening.originalTransactionID {
                chains[ChainID(bundleID: app, environment: environment, originalID: id)] = customer
            }
        }
        self.payloads = payloads
        self.chains = chains
    }

    /// Returns an empty pool.
    ///
    /// In this pool, account tokens do not identify owners: the people of the stories have names, and their chains are
    /// claimed for them.
    func makePool(_ vault: any TransactionalVault = Self.makeVault()) -> StorePool {
        let configuration = StoreConfiguration(catalog: catalog, policy: policy)
        return StorePool(
            configuration: .init(store: configuration, readsHistories: false), vault: vault, verifier: verifier,
            clock: VirtualClock(store.now))
    }

    static func makeVault() -> InMemoryVault { InMemoryVault(accountTokens: .opaque) }

    /// Claims each chain for its customer.
    func claimAll(in pool: StorePool) async throws {
        for (chain, customer) in chains { try await pool.withStore(customer) { _ = try await $0.claim(chain) } }
    }

    /// Returns a pool that received the evidence of the notifications, without the notifications.
    func directPool() async throws -> StorePool {
        let pool = makePool()
        for payload in payloads {
            let notification = try verifier.notification(payload).payloadValue
            let parts = [notification.signedTransactionInfo, notification.signedRenewalInfo].compactMap { $0 }
            try await pool.receive(TransactionUpdate(.evidence(parts)))
        }
        try await claimAll(in: pool)
        return pool
    }

    static func body(_ payload: String) -> [UInt8] { Array("{\"signedPayload\":\"\(payload)\"}".utf8) }

    /// Describes the evidence, balances and answers of all customers.
    ///
    /// The notifications themselves are left out, because a pool that received only their evidence has none.
    func picture(of pool: StorePool) async throws -> [String] {
        var lines: [String] = []
        for customer in Set(chains.values).sorted(by: { $0.rawValue < $1.rawValue }) {
            let record = try await pool.vault.load(customer)
            // Identify facts by their payloads, because the same payload may have been signed twice.
            let own = record.facts.filter { $0.fact.notification == nil }
            let facts = Set(own.map { "\(SHA256.hash(data: $0.fact.jws.payload))".suffix(12) })
            lines.append("\(customer) facts \(facts.sorted())")
            let balances = record.balances.map { "\($0.id) \($0.amount)" }.sorted()
            lines.append("\(customer) balances \(balances)")
            let snapshot = try await pool.snapshot(of: customer)
            for product in catalog.products {
                for days in [-40, -7, 0, 7, 40] as [Int64] {
                    let instant = store.now.adding(milliseconds: days * 86_400_000)
                    let answer = snapshot.entitlement(for: product.id, at: instant)
                    lines.append("\(customer) \(product.id) \(days) \(answer)")
                }
            }
        }
        let parked = try await pool.vault.parked(after: .start, limit: 10_000).rows
            .count { $0.fact.notification == nil }
        return lines + ["parked \(parked)"]
    }
}

extension NotificationReply {
    /// The outcome as a word.
    var word: String {
        switch outcome {
        case .accepted: "accepted"
        case .repeated: "repeated"
        case .refused(let refusal): "refused \(refusal.code.rawValue)"
        case .failed(let failure): "failed \(failure.code.rawValue)"
        }
    }
}

extension FaultyVault {
    /// Makes all further calls succeed.
    func failNothing() {
        failWrites(0)
        failAcknowledgements(0)
        failReads(0)
    }
}
