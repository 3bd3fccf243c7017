import Storekeeper
import StorekeeperPostgres
import StorekeeperTesting
import Testing

@Suite(
    "Stores on two nodes with one database", .system,
    .enabled(if: TestDatabase.server != nil, "STOREKEEPER_POSTGRES is not set"))
struct StoreStateMachineTests {
    @Test("Random operations lose nothing acknowledged, count nothing twice and invent no event")
    func laws() async {
        var open: [PostgresVault] = []
        let violation = await StoreModelCheck<PostgresVault>.violation(.environment, cases: 12) {
            for vault in open { vault.close() }
            let database = try await TestDatabase.make()
            let options = PostgresVault.Options(connections: 2, writers: 1, changeDetection: .none)
            open = [
                try await PostgresVault(database, options: options),
                try await PostgresVault(database, options: options),
            ]
            return (open[0], open[1])
        }
        for vault in open { vault.close() }
        if let violation { Issue.record("\(violation)") }
    }
}
