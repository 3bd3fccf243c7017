import Storekeeper
import StorekeeperSQLite
import StorekeeperTesting
import Testing

@Suite("Stores of two processes with one file")
struct StoreStateMachineTests {
    @Test("Random operations lose nothing acknowledged, count nothing twice and invent no event")
    func laws() async throws {
        let folder = try TemporaryFolder()
        var number = 0
        let violation = await StoreModelCheck<SQLiteVault>.violation(.environment, cases: 12) {
            number += 1
            let path = folder.file("\(number).sqlite")
            return (try SQLiteVault(path: path), try SQLiteVault(path: path))
        }
        if let violation { Issue.record("\(violation)") }
    }
}
