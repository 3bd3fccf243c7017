import Storekeeper
import StorekeeperSQLite
import StorekeeperTesting
import Testing

@Suite("The cache of the writing connection is never older than the file")
struct WriterMemoryTests {
    private let folder: TemporaryFolder
    private let vault: SQLiteVault
    private let other: SQLiteVault

    init() throws {
        folder = try TemporaryFolder()
        vault = try SQLiteVault(path: folder.file())
        other = try SQLiteVault(path: folder.file(), options: .init(creation: .never))
    }

    @Test("Two vaults that write to the same account in turn see each other's writes")
    func inTurn() async throws {
        try await vault.commitAll(Shop.batch([1]))
        for round in 0..<12 {
            let writer = round.isMultiple(of: 2) ? other : vault
            let receipt = try await writer.spend(10, key: "spend-\(round)")
            #expect(receipt.entry.after == 500 - Int64(round + 1) * 10)
            let credited = try await writer.commitAll(Shop.batch([10 + round], for: "ben"))
            #expect(credited.balances.first?.amount == Int64(round + 1) * 500)
            #expect(credited.version == Int64(round + 1))
        }
        #expect(try await vault.checkIntegrity().faults == [])
    }

    @Test("A transaction that was undone leaves nothing in the cache")
    func undone() async throws {
        try await vault.commitAll(Shop.batch([1]))
        let spend = Shop.spend(100, key: "undone")
        let error = await #expect(throws: VaultError.self) {
            try await vault.write { tables throws(VaultError) in
                _ = try VaultRules.move([spend], policy: .debt, in: &tables)
                guard try tables.balance("coins", of: "anna")?.amount == 400 else {
                    throw VaultError(.io, "the spend is not seen by the step that made it")
                }
                try tables.setCustomer(CustomerRow(id: "nobody", version: 7))
                throw VaultError(.overflow, "made up")
            }
        }
        #expect(error?.code == .overflow)
        #expect(try await vault.spend(50, key: "next").entry.after == 450)
        #expect(try await vault.commitAll(Shop.batch([2], for: "nobody")).version == 1)
        #expect(try await vault.entries(after: .start, of: "anna", limit: .max).map(\.after) == [500, 450])
        #expect(try await vault.checkIntegrity().faults == [])
    }

    @Test("A customer whom another vault has erased starts again with an empty account")
    func erasedElsewhere() async throws {
        try await vault.commitAll(Shop.batch([1]))
        _ = try await other.erase("anna", reason: "asked", at: .day(402))
        #expect(try await vault.commitAll(Shop.batch([2])).balances.first?.amount == 500)
        #expect(try await other.balances(of: "anna").first?.amount == 500)
        #expect(try await vault.checkIntegrity().faults == [])
    }

    @Test("Evidence that another vault has parked is adopted")
    func parkedElsewhere() async throws {
        try await vault.commitAll(Shop.batch([1]))
        let fact = try Shop.purchase(3).verifiedFact()
        #expect(try await other.parkForOwners([fact], at: .day(401)).new == 1)
        _ = try await vault.commitAll(CommitBatch(customer: "anna", at: .day(402), facts: [fact], rule: Shop.rule))
        #expect(try await other.allParked().isEmpty)
        #expect(try await other.balances(of: "anna").first?.amount == 1_000)
    }
}
