import Storekeeper
import StorekeeperTesting
import Testing

struct StoreStateMachineTests {
    @Test("In any order of operations, nothing acknowledged is lost, nothing counts twice, and no event is invented")
    func laws() async {
        let violation = await StoreModelCheck<InMemoryVault>.violation(.environment, cases: 60) {
            let vault = InMemoryVault()
            return (vault, vault)
        }
        if let violation { Issue.record("\(violation)") }
    }
}
