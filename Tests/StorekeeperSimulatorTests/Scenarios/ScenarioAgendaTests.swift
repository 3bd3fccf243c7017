import Storekeeper
import Testing

@testable import StorekeeperSimulator

/// Whom a scenario asks what has changed.
struct ScenarioAgendaTests {
    private static let start = SampleStore.day("2026-01-01T00:00:00Z")

    private static func asked(_ agenda: inout ScenarioAgenda, after seconds: Int64 = 0) -> [Int32] {
        agenda.take(at: start.adding(milliseconds: seconds * 1000)).map(\.engine)
    }

    @Test("Those whom something happened to are asked once, in the order in which they came")
    func touched() {
        var agenda = ScenarioAgenda()
        for engine: Int32 in [7, 2, 7] { agenda.touch(engine) }
        #expect(Self.asked(&agenda) == [2, 7])
        #expect(Self.asked(&agenda).isEmpty)
    }

    @Test("Those whose change is due are asked then, and not for a change that is no longer meant")
    func due() {
        var agenda = ScenarioAgenda()
        agenda.expect(Self.start.adding(milliseconds: 10_000), of: 1)
        agenda.expect(Self.start.adding(milliseconds: 20_000), of: 2)
        agenda.expect(Self.start.adding(milliseconds: 30_000), of: 1)
        agenda.expect(nil, of: 2)
        #expect(Self.asked(&agenda, after: 29).isEmpty)
        #expect(Self.asked(&agenda, after: 30) == [1])
        #expect(Self.asked(&agenda, after: 99).isEmpty)
    }

    @Test("Who has taken in evidence has written down what time has changed, until that may concern everybody")
    func intake() {
        var agenda = ScenarioAgenda()
        agenda.touch(0)
        agenda.noteIntake(1)
        #expect(agenda.take(at: Self.start).map(\.isBehind) == [true, false])
        agenda.noteIntake(1)
        agenda.touchAll(3)
        let asked = agenda.take(at: Self.start)
        #expect(asked.map(\.engine) == [0, 1, 2])
        #expect(asked.allSatisfy { $0.isBehind })
    }

    @Test("Who has doubts is asked every time")
    func doubts() {
        var agenda = ScenarioAgenda()
        agenda.distrust(4)
        #expect(Self.asked(&agenda) == [4])
        #expect(Self.asked(&agenda) == [4])
    }

    @Test(
        "A month of many people asks each of them for their own purchase and renewal, and no other",
        .timeLimit(.minutes(5)))
    func many() async throws {
        let count = 60
        var scenario = Scenario(story: "Many", apps: [SimulatedApp(catalog: SampleStore.catalog)])
        scenario.people = (0..<count).map { Scenario.Person(CustomerID(rawValue: "p\($0)")) }
        for person in scenario.people {
            let request = PurchaseRequest(introductoryEligibility: false)
            scenario.steps.append(
                ScenarioStep(.perform([.buy("pro.monthly", by: person.name, options: request)]), text: "buy"))
            let next = Self.start.adding(milliseconds: 1000 * Int64(scenario.steps.count))
            scenario.steps.append(ScenarioStep(.perform([.advance(to: next)]), text: "advance to"))
        }
        scenario.steps.append(ScenarioStep(.perform([.advance(to: Self.start.adding(days: 40))]), text: "advance to"))
        var runner = try await ScenarioRunner(scenario)
        let report = try await runner.run()
        #expect(report.failures.isEmpty)
        // One when they come, one for the purchase, one for the renewal.
        #expect(runner.askedCount <= 3 * count)
    }
}
