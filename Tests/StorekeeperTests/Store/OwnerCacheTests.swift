import StorekeeperTesting
import Testing

@testable import Storekeeper

/// Tests of the cache of chain owners, and of its use after an owner has changed.
struct OwnerCacheTests {
    private static let gold = Product(
        id: "gold", type: .autoRenewable,
        subscription: Product.SubscriptionInfo(
            subscriptionGroupID: "1", groupLevel: 1, subscriptionPeriod: SubscriptionPeriod("P30D")))

    private func purchase(_ id: Transaction.ID) -> TransactionDraft { .purchase(of: Self.gold, at: .day(0), id: id) }

    @Test("The cache returns the owners of facts and of other evidence beside them, if it contains all of them")
    func remembering() throws {
        let (first, second) = (purchase("1000"), purchase("2000"))
        let facts = try [first, second].map { try $0.verifiedFact() }
        let owners = OwnerCache()
        #expect(owners.owners(of: facts) == nil)
        #expect(owners.owners(of: []) == [])
        owners.set("anna", of: [facts[0]])
        #expect(owners.owners(of: [facts[0]]) == ["anna"])
        #expect(owners.owners(of: facts) == nil)
        owners.set("ben", of: [facts[1]])
        #expect(owners.owners(of: facts) == ["anna", "ben"])
        let own = try RenewalInfoDraft(for: first).verifiedFact()
        let other = try RenewalInfoDraft(for: second).verifiedFact()
        #expect(owners.owners(of: [facts[0], own]) == ["anna", "anna"])
        #expect(owners.owners(of: [facts[0], other]) == nil, "only the vault has the chain of an info alone")
        #expect(owners.owners(of: [own]) == nil)
        let status = try NotificationDraft(status: 4, of: first, signedAt: .day(31)).verifiedFact()
        #expect(owners.owners(of: [facts[0], status]) == ["anna", "anna"])
        #expect(owners.owners(of: [status]) == nil)
        let app = try AppTransactionDraft().verifiedFact()
        #expect(owners.owners(of: [app]) == nil)
        owners.set("ben", of: [app])
        #expect(owners.owners(of: [facts[0], app]) == ["anna", "ben"])
        owners.set(nil, of: [facts[0]])
        #expect(owners.owners(of: [facts[0]]) == nil)
    }

    @Test("The most recent chains stay in the cache")
    func capacity() throws {
        let owners = OwnerCache(capacity: 8)
        let facts = try (1_000..<1_100).map { try purchase(Transaction.ID(rawValue: String($0))).verifiedFact() }
        for (index, fact) in facts.enumerated() {
            owners.set("anna", of: [fact])
            for recent in facts[max(0, index - 7)...index] { #expect(owners.owners(of: [recent]) == ["anna"]) }
        }
        #expect(facts.filter { owners.owners(of: [$0]) != nil }.count <= 16)
    }

    @Test("Evidence goes to the new owner if a cached chain has changed owners")
    func changedHands() async throws {
        let vault = InMemoryVault(accountTokens: .opaque)
        let pool = StorePool(
            configuration: StorePool.Configuration(
                store: StoreConfiguration(catalog: Catalog(products: [Self.gold], groups: [], features: []))),
            vault: vault, verifier: DraftVerifier(), clock: VirtualClock(.day(1)))
        let first = purchase("1000")
        let chain = ChainID(try first.transaction())
        _ = try await pool.withStore("anna") { try await $0.claim(chain) }
        try await pool.receive(TransactionUpdate(.evidence([first.fakeJWS])))
        #expect(try await pool.snapshot(of: "anna").isEntitled("gold", at: .day(1)))
        // The next two calls stand for another process, so the pool is not notified of the changes.
        _ = try await vault.erase("anna", reason: "she asked for it", at: .day(2))
        #expect(try await vault.claim(.chain(chain), for: "ben", at: .day(2)) == nil)
        let renewal = TransactionDraft.renewal(of: first)
        try await pool.receive(TransactionUpdate(.evidence([renewal.fakeJWS])))
        #expect(try await vault.load("ben").facts.compactMap(\.fact.transaction?.id) == [renewal.id])
        #expect(try await vault.load("anna").facts.isEmpty)
        #expect(try await pool.snapshot(of: "ben").isEntitled("gold", at: .day(31)))
    }

    @Test("A notification about a cached chain does not bring an erased customer back")
    func erased() async throws {
        let vault = InMemoryVault()
        let pool = StorePool(
            configuration: StorePool.Configuration(store: StoreBench.configuration), vault: vault,
            verifier: TestVerifier(), clock: VirtualClock(.day(1)))
        let first = purchase("1000")
        _ = try await pool.withStore("anna") { try await $0.claim(first.chain) }
        try await pool.receive(TransactionUpdate(.evidence([first.jws])))
        #expect(try await vault.customers(after: nil, limit: 10) == ["anna"])
        _ = try await vault.erase("anna", reason: "she asked for it", at: .day(2))
        let renewal = TransactionDraft.renewal(of: first)
        let notification = TestEvidence.notification(transaction: renewal.jws, at: .day(30))
        try await pool.receive(TransactionUpdate(.evidence([notification])))
        #expect(try await vault.customers(after: nil, limit: 10).isEmpty)
        #expect(try await vault.allParked().map(\.fact.transaction?.id) == [renewal.id])
    }
}
