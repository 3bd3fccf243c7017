import Storekeeper
import Testing

@testable import StorekeeperSimulator

@Suite("Due events") struct DueEventTests {
    /// Returns a world in which the tests know the index of each row.
    private static func world() throws -> World {
        var world = GeneratedStory(environment: .sandbox, start: SampleStore.day("2026-01-01"), steps: []).makeWorld()
        for name: CustomerID in ["anna", "bert"] {
            for command: SimulatorCommand in [
                .createAccount(name, storefront: nil), .buy("pro.monthly", by: name, options: PurchaseRequest()),
            ] {
                try world.perform(SimulatorCall(command))
            }
        }
        return world
    }

    @Test(
        "Due events are ordered by instant, account, subscription and stamp, with pending purchases after subscriptions"
    )
    func order() throws {
        let world = try Self.world()
        let (anna, bert) = (try world.account("anna"), try world.account("bert"))
        let (first, second) = (world.subscriptions.startIndex, world.subscriptions.startIndex.advanced(by: 1))
        let (one, other) = (world.transactions.startIndex, world.transactions.startIndex.advanced(by: 1))
        let (soon, late) = (Instant(clamped: -5), Instant(clamped: 5))
        let events = [
            DueEvent(at: soon, account: anna, subject: .subscription(first, stamp: 0)),
            DueEvent(at: soon, account: anna, subject: .subscription(first, stamp: 1)),
            DueEvent(at: soon, account: anna, subject: .subscription(second, stamp: 0)),
            DueEvent(at: soon, account: anna, subject: .askToBuy(one)),
            DueEvent(at: soon, account: anna, subject: .askToBuy(other)),
            DueEvent(at: soon, account: bert, subject: .subscription(first, stamp: 0)),
            DueEvent(at: late, account: anna, subject: .subscription(first, stamp: 0)),
        ]
        for (index, event) in events.enumerated() {
            #expect(!(event < event))
            #expect(events[..<index].allSatisfy { $0 < event && !(event < $0) })
        }
    }
}
