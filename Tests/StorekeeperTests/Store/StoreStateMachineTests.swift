import Storekeeper
import StorekeeperTesting
import Testing

struct StoreStateMachineTests {
    @Test("Whatever happens, in any order: nothing acknowledged is lost, nothing counts twice, no event is made up")
    func laws() async {
        let breach = await StoreTrial<InMemoryVault>.breach(.environment, cases: 60) {
            let vault = InMemoryVault()
            return (vault, vault)
        }
        if let breach { Issue.record("\(breach)") }
    }
}
