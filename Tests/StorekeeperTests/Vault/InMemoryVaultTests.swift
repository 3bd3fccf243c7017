import Storekeeper
import StorekeeperTesting
import Testing

@Suite("The vault in memory") struct InMemoryVaultTests {
    @Test("obeys the laws of vaults") func conformance() async {
        await VaultConformance { InMemoryVault() }.run()
    }
}
