import Foundation
import Storekeeper
import StorekeeperSimulator
import Testing

@Suite("The article Scenarios") struct ScenariosTests {
    @Test("The article's code saves a test's calls as a scenario")
    func story() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("story-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let seed: UInt64 = 7
        let apps = [SimulatedApp(catalog: SampleStore.catalog)]
        let store = try SimulatedAppStore(apps: apps, seed: seed)
        try store.perform(.createAccount("anna", storefront: nil))
        try store.perform(.buy("coins.100", by: "anna", options: PurchaseRequest(quantity: 2)))
        try store.advance(byDays: 3)

        let scenario = Scenario(
            calls: store.calls, story: "A balance below zero", apps: apps, catalogs: [["Store.storekit"]], seed: seed)
        try Data(scenario.text.utf8).write(to: folder.appendingPathComponent("failure.yaml"))

        let kept = try String(contentsOf: folder.appendingPathComponent("failure.yaml"), encoding: .utf8)
        #expect(kept.contains("story: A balance below zero"))
        #expect(kept.contains("buy: coins.100"))
    }
}
