// A saved story
//
// A story that was saved from a local App Store. Put this file into a test target that depends on the libraries
// Storekeeper and StorekeeperSimulator.
import Storekeeper
import StorekeeperSimulator
import Testing

struct ASavedStoryTests {
    /// Plays the story.
    private func play() async throws -> ScenarioRunner {
        var runner = try await ScenarioRunner(try Scenario(reading: Self.story))
        _ = try await runner.run()
        return runner
    }

    @Test("The story ends as expected")
    func story() async throws {
        for failure in try await play().report.failures {
            Issue.record("line \(failure.line): expected \(failure.expected), found \(failure.found)")
        }
    }

    @Test("An app that opens at the end gives anna these answers")
    func answersAboutAnna() async throws {
        let runner = try await play()
        let session = try SimulatedSession(customer: "anna", in: runner.store)
        let store = try await session.openStore().store
        try await store.sync()
        #expect(store.entitlement(for: "club.monthly").reason == .active)
        #expect(store.feature("club").reason == .active)
        #expect(store.highestStatus(group: "Club")?.transaction.productID == "club.monthly")
        #expect(store.highestStatus(group: "Club")?.state == .subscribed)
    }

    @Test("An app that opens at the end gives bert these answers")
    func answersAboutBert() async throws {
        let runner = try await play()
        let session = try SimulatedSession(customer: "bert", in: runner.store)
        let store = try await session.openStore().store
        try await store.sync()
        #expect(store.feature("club").reason == .noPurchase)
        #expect(store.balance(of: "coins").amount == 100)
    }

    /// The scenario, with its catalogs.
    private static let story = #"""
        story: A saved story
        app: com.example.game
        catalog: [Shop.json]
        settings:
          storefront: USA
          locale: en_US
          pace: real time
          ask to buy: no
          interrupted purchases: no
          grace period: no
          grace after free offers: yes
          billing retry on renewal: no
          daily retries: no
          recovery chance: 0.0
          early charges: no
          disable dialogs: yes
          grant refund requests: yes
          fail transactions: no
        catalog files:
          Shop.json: |
            {
              "products": [{ "id": "coins.100", "type": "consumable", "grants": { "coins": 100 } }],
              "subscriptions": [{ "group": "Club", "products": ["club.monthly"] }],
              "features": { "club": ["club.monthly"] }
            }
        environment: Sandbox
        start: 2026-01-01T00:00:00.000Z
        seed: 0
        policy:
          renewal leeway: 0 days
          grace: yes
          billing retry entitles: no
          refunds: debt
          environments: [Sandbox]
        steps:
          - new person: anna
          - new person: bert
          - buy: club.monthly
            by: anna
          - buy: coins.100
            by: bert
          - advance to: 2026-01-11T00:00:00.000Z
          - expect: entitled club.monthly because active
            for: anna
          - expect: entitled club because active
            for: anna
          - expect: highest Club club.monthly
            for: anna
          - expect: state Club subscribed
            for: anna
          - expect: never club because noPurchase
            for: bert
          - expect: balance coins 100
            for: bert
          - expect signed:
              transaction: { quantity: 1 }
            purchase: club.monthly
            for: anna

        """#
}
