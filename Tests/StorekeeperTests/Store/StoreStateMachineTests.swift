import Storekeeper
import StorekeeperTesting
import Testing

struct StoreStateMachineTests {
    @Test("In any order of operations, nothing acknowledged is lost, nothing counts twice, and no event is invented")
    func laws() async {
        let breach = await StoreTrial<InMemoryVault>.breach(.environment, cases: 60) {
            let vault = InMemoryVault()
            return (vault, vault)
        }
        if let breach { Issue.record("\(breach)") }
    }
}
