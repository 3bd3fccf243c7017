import Storekeeper
import StorekeeperSQLite
import StorekeeperTesting
import Testing

struct RefusedStepTests {
    @Test("An entry that SQLite refuses leaves no trace in the hash chain of the steps in its transaction")
    func chainWithoutTheRefused() async throws {
        let folder = try TemporaryFolder()
        let vault = try SQLiteVault(path: folder.file())
        _ = try await vault.move(
            [.grant(1, of: "coins", to: "anna", because: "a gift", key: "first", at: .day(0))], policy: .debt)
        try tamper(
            folder.file(),
            """
            CREATE TRIGGER refuse BEFORE INSERT ON ledger WHEN NEW.balance = 'cursed'
            BEGIN SELECT RAISE(ABORT, 'no such balance'); END
            """)
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
        #expect(try await vault.balances(of: "anna").map(\.amount) == [49])
        // The audit reports only the trigger, which does not belong to the vault. The hash chain has no fault.
        #expect(try await vault.checkIntegrity().faults.map(\.subject) == ["trigger refuse"])
    }
}
