import FoundationEssentials
import StorekeeperTesting
import Testing

@testable import Storekeeper

@Suite("A remote vault") struct RemoteVaultTests {
    @Test(
        "A remote vault conforms to the vault protocol", .timeLimit(.minutes(20)),
        arguments: DelayedStorage.Law.allCases, [1, 256])
    func conformance(_ law: DelayedStorage.Law, _ groupLimit: Int) async throws {
        try await VaultConformance { RemoteVault(DelayedStorage(law), groupLimit: groupLimit) }.run()
    }

    @Test("A remote vault with opaque tokens conforms to the vault protocol", .timeLimit(.minutes(20)))
    func conformanceOfOpaqueTokens() async throws {
        try await VaultConformance {
            RemoteVault(DelayedStorage(.locks, MemoryTables(accountTokens: .opaque)), accountTokens: .opaque)
        }.run()
    }

    @Test("Two vaults on one storage never overdraw a balance together")
    func overtaking() async throws {
        let storage = DelayedStorage(.versions)
        let vaults = [RemoteVault(storage), RemoteVault(storage)]
        _ = try await vaults[0].move(
            [.grant(100, of: "coins", to: "anna", because: "a gift", key: "gift", at: .day(1))], policy: .debt)
        let results = try await withThrowingTaskGroup(of: [Result<LedgerReceipt, LedgerRefusal>].self) { group in
            for number in 0..<40 {
                let request = LedgerRequest.spend(5, of: "coins", by: "anna", key: "\(number)", at: .day(2))
                group.addTask { try await vaults[number % 2].move([request], policy: .debt) }
            }
            return try await group.reduce(into: [Result<LedgerReceipt, LedgerRefusal>]()) { $0 += $1 }
        }
        #expect(results.count { (try? $0.get()) != nil } == 20)
        #expect(try await vaults[0].balances(of: "anna").map(\.amount) == [0])
        #expect(await storage.overtaken > 0)
        #expect(await storage.open == 0)
    }

    @Test("The steps of many customers are loaded and written together")
    func groups() async throws {
        let storage = DelayedStorage()
        let vault = RemoteVault(storage)
        try await withThrowingTaskGroup { group in
            for number in 0..<200 {
                group.addTask {
                    let customer = CustomerID(rawValue: "customer \(number)")
                    _ = try await vault.commit(RemoteSteps.credit("\(number)", for: customer))
                }
            }
            try await group.waitForAll()
        }
        #expect(try await vault.customers(after: nil, limit: .max).count == 200)
        let traffic = await storage.traffic
        print("200 credits of 200 customers at once: \(traffic.loads) loads, \(traffic.writes) writes")
        #expect(traffic.writes <= 20 && traffic.loads <= 20)
        // Each entry has its own place, and belongs to another customer.
        let entries = try await vault.entries(after: .start, of: nil, limit: .max)
        #expect(Set(entries.map(\.place)).count == 200 && Set(entries.map(\.customer)).count == 200)
    }

    @Test("A failing step does not affect other steps of its group")
    func failingStep() async throws {
        let vault = RemoteVault(DelayedStorage())
        let results = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<30 {
                group.addTask {
                    do throws(VaultError) {
                        try await vault.write { tables throws(VaultError) in
                            let customer = CustomerID(rawValue: "customer \(number)")
                            _ = try VaultRules.move(
                                [.grant(1, of: "coins", to: customer, because: "a gift", key: "gift", at: .day(1))],
                                policy: .debt, in: &tables)
                            if number % 3 == 0 { throw VaultError(.invalidRequest, "the end of the test's step") }
                        }
                        return true
                    } catch { return false }
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(results == 20)
        #expect(try await vault.customers(after: nil, limit: .max).count == 20)
        #expect(
            try await vault.entries(after: .start, of: nil, limit: .max).map(\.place) == (1...20).map { FeedPlace($0) })
    }

    @Test("A storage failure is thrown, and the vault works again afterwards")
    func failingStorage() async throws {
        let storage = DelayedStorage()
        let vault = RemoteVault(storage)
        await storage.fail(with: [VaultError(.io, "the line is cut")])
        await #expect(throws: VaultError.self) { try await vault.commit(RemoteSteps.credit("1")) }
        #expect(try await vault.load("anna").facts.isEmpty)
        guard case .committed(let receipt) = try await vault.commit(RemoteSteps.credit("1")) else {
            Issue.record("the batch was not written")
            return
        }
        #expect(receipt.balances.map(\.amount) == [500])
        #expect(await storage.open == 0)
    }

    @Test("If the storage refuses a group, its steps are written separately")
    func refusedGroup() async throws {
        let storage = DelayedStorage()
        let vault = RemoteVault(storage)
        await storage.fail(with: [.init(.corrupt, "one"), .init(.corrupt, "two"), .init(.corrupt, "three")])
        let written = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<40 {
                group.addTask {
                    do {
                        _ = try await vault.commit(RemoteSteps.credit("\(number)"))
                        return true
                    } catch { return false }
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        // The write of the first step, which was alone, failed. The write of the next group also failed. Each step of
        // this group was retried alone, and one of these retries failed.
        #expect(37...38 ~= written)
        #expect(try await vault.load("anna").facts.count == written)
    }

    @Test("Each group is written under its own id")
    func ids() async throws {
        let storage = DelayedStorage(.versions)
        let vault = RemoteVault(storage)
        for number in 1...3 { _ = try await vault.commit(RemoteSteps.credit("\(number)")) }
        _ = try await vault.commit(RemoteSteps.credit("3"))
        #expect(await storage.written.count == 3)
    }

    @Test("A list of all customers inside a step is refused")
    func lists() async throws {
        let vault = RemoteVault(DelayedStorage())
        await #expect(throws: VaultError.self) {
            try await vault.read { tables throws(VaultError) in try tables.customers(after: nil, limit: 1) }
        }
        await #expect(throws: VaultError.self) {
            try await vault.read { tables throws(VaultError) in try tables.facts(after: .start, of: nil, limit: 1).count
            }
        }
    }

    @Test("A remote vault restores an archive like a local one")
    func archive() async throws {
        let rule = LedgerRule(catalog: .coins)
        let archive = try await InMemoryVault.filled(by: rule).archive(of: "anna")
        let remote = RemoteVault(DelayedStorage())
        let local = InMemoryVault()
        let receipt = try await remote.restore(archive, rule: rule, at: .day(20))
        _ = try await local.restore(archive, rule: rule, at: .day(20))
        #expect(receipt.newFacts == 3 && receipt.newEntries == 6)
        #expect(try await remote.account(of: "anna") == local.account(of: "anna"))
        #expect(try await remote.balances(of: "anna") == local.balances(of: "anna"))
        let report = try await VaultAudit(vault: remote, verifier: DraftVerifier()).run()
        #expect(report.faults.isEmpty)
    }
}
