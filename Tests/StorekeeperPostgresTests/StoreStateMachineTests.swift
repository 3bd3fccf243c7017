import Storekeeper
import StorekeeperPostgres
import StorekeeperTesting
import Testing

@Suite(
    "Stores on two nodes over one database",
    .enabled(if: TestDatabase.server != nil, "STOREKEEPER_POSTGRES names no server"))
struct StoreStateMachineTests {
    @Test("Whatever happens, in any order: nothing acknowledged is lost, nothing counts twice, no event is made up")
    func laws() async {
        var open: [PostgresVault] = []
        let breach = await StoreTrial<PostgresVault>.breach(.environment, cases: 12) {
            for vault in open { vault.close() }
            let database = try await TestDatabase.make()
            let options = PostgresVault.Options(connections: 2, writers: 1, news: .none)
            open = [
                try await PostgresVault(database, options: options),
                try await PostgresVault(database, options: options),
            ]
            return (open[0], open[1])
        }
        for vault in open { vault.close() }
        if let breach { Issue.record("\(breach)") }
    }
}
