import Storekeeper
import StorekeeperSQLite
import StorekeeperTesting
import Testing

struct RefusedStepTests {
    @Test("An entry that SQLite refuses leaves no trace in the hash chain of the steps in its transaction")
    func chainWithoutTheRefused() async throws {
        let folder = try TemporaryFolder()
        let vault = try SQLiteVault(path: folder.file())
        for balance: Balance.ID in ["coins", "cursed"] {
            let first = LedgerRequest.grant(
                1, of: balance, to: "anna", because: "a gift", key: "first \(balance)", at: .day(0))
            _ = try await vault.move([first], policy: .debt)
        }
        // A vault runs no triggers, so an index refuses all further entries of a balance.
        try tamper(folder.file(), "CREATE UNIQUE INDEX refuse ON ledger(balance) WHERE balance = 'cursed'")
        let refused = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<64 {
                group.addTask {
                    let balance: Balance.ID = number % 4 == 0 ? "cursed" : "coins"
                    let request = LedgerRequest.grant(
                        1, of: balance, to: "anna", because: "a gift", key: "\(number)", at: .day(0))
                    return (try? await vault.move([request], policy: .debt)) == nil
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(refused == 16)
        #expect(try await vault.balances(of: "anna").map(\.amount).sorted() == [1, 49])
        // The audit reports only the index, which does not belong to the vault. The hash chain has no fault.
        #expect(try await vault.checkIntegrity().faults.map(\.subject) == ["index refuse"])
    }
}
