import Storekeeper
import StorekeeperPostgres
import StorekeeperTesting
import Testing

/// Runs the conformance suite of vaults with a server.
@Suite(.system, .enabled(if: TestDatabase.server != nil, "STOREKEEPER_POSTGRES is not set"))
struct PostgresVaultConformanceTests {
    @Test(
        "A vault in PostgreSQL conforms to the laws of a vault, also after reopening, under each account token rule",
        arguments: AccountTokenRule.allCases)
    func obeysTheLaws(tokens: AccountTokenRule) async throws {
        let options = PostgresVault.Options(accountTokens: tokens, connections: 4)
        let places = Places()
        try await VaultConformance<PostgresVault>(
            reopen: { vault in
                vault.close()
                return try await PostgresVault(await places.place(of: vault), options: options)
            },
            makeVault: {
                let database = try await TestDatabase.make()
                let vault = try await PostgresVault(database, options: options)
                await places.note(vault, database)
                return vault
            }
        ).run()
    }

    private actor Places {
        private var places: [ObjectIdentifier: String] = [:]

        func note(_ vault: PostgresVault, _ place: String) { places[ObjectIdentifier(vault)] = place }
        func place(of vault: PostgresVault) -> String { places[ObjectIdentifier(vault)] ?? "" }
    }
}
