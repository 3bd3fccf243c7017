import Storekeeper
import StorekeeperSQLite
import StorekeeperTesting
import Testing

@Suite("Stores of two processes over one file")
struct StoreStateMachineTests {
    @Test("Whatever happens, in any order: nothing acknowledged is lost, nothing counts twice, no event is made up")
    func laws() async throws {
        let folder = try TemporaryFolder()
        var number = 0
        let breach = await StoreTrial<SQLiteVault>.breach(.environment, cases: 12) {
            number += 1
            let path = folder.file("\(number).sqlite")
            return (try SQLiteVault(path: path), try SQLiteVault(path: path))
        }
        if let breach { Issue.record("\(breach)") }
    }
}
