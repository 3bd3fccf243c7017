import Storekeeper
import StorekeeperTesting
import Testing

@Suite("The vault in memory") struct InMemoryVaultTests {
    @Test("The vault in memory conforms to the vault protocol") func conformance() async throws {
        try await VaultConformance { InMemoryVault() }.run()
    }

    @Test("A large step that fails late leaves the vault unchanged")
    func lateFailure() async throws {
        let vault = InMemoryVault()
        let facts = try (0..<50).map { number in
            try TransactionDraft.purchase(
                of: "coins", type: .consumable, at: .day(0), id: Transaction.ID(rawValue: "\(number)")
            ).verifiedFact()
        }
        for fact in facts.prefix(25) {
            _ = try await vault.commit(CommitBatch(customer: "anna", at: .day(1), facts: [fact]))
        }
        await #expect(throws: VaultError.self) {
            try await vault.write { tables throws(VaultError) in
                _ = try VaultRules.commit(CommitBatch(customer: "anna", at: .day(2), facts: facts), to: &tables)
                _ = try VaultRules.erase("anna", reason: "asked for", at: .day(2), in: &tables)
                _ = try VaultRules.commit(CommitBatch(customer: "ben", at: .day(2), facts: facts), to: &tables)
                throw VaultError(.io, "the end of the test's step")
            }
        }
        let record = try await vault.load("anna")
        #expect(record.facts.count == 25)
        #expect(record.balances == [Balance(id: "coins", credited: 25)])
        #expect(try await vault.entries(after: .start, of: nil, limit: 100).count == 25)
        _ = try await vault.commit(CommitBatch(customer: "anna", at: .day(3), facts: facts))
        #expect(try await vault.load("anna").balances == [Balance(id: "coins", credited: 50)])
        #expect(try await vault.customers(after: nil, limit: 10) == ["anna"])
    }

    @Test("Old step ids are forgotten while new steps are written")
    func oldSteps() async throws {
        let vault = InMemoryVault()
        #expect(try await vault.stepsRemembered(ofDay: 1, thenDay: 30) == 0)
    }

    @Test("Many customers are listed in order, whatever order they arrived in")
    func manyCustomers() async throws {
        let vault = InMemoryVault()
        var random = SplitMix64(seed: 1)
        let ids = (0..<3_000).map { "customer \($0)" }
        for id in ids.shuffled(using: &random) {
            var batch = CommitBatch(customer: CustomerID(rawValue: id), at: .day(0), syncedAt: .day(0))
            batch.wakeAt = .day(random.number(in: 1...50))
            _ = try await vault.commit(batch)
        }
        #expect(try await vault.customers(after: nil, limit: .max).map(\.rawValue) == ids.sorted())
        #expect(
            try await vault.customers(after: "customer 1", limit: 2).map(\.rawValue) == ["customer 10", "customer 100"])
        #expect(try await vault.nextWake()?.at == .day(1))
        for id in ids { _ = try await vault.commit(CommitBatch(customer: CustomerID(rawValue: id), at: .day(1))) }
        #expect(try await vault.nextWake() == nil)
    }
}
