import Storekeeper
import Testing

@testable import StorekeeperSimulator

/// Tests of which engines a scenario reads after a step.
struct ScenarioAgendaTests {
    private static let start = SampleStore.day("2026-01-01T00:00:00Z")

    private static func due(_ agenda: inout ScenarioAgenda<Int>, after seconds: Int64 = 0) -> [Int] {
        agenda.popDue(at: start.adding(milliseconds: seconds * 1000)).map(\.engine)
    }

    @Test("Changed engines are read once, in order of their numbers")
    func changed() {
        var agenda = ScenarioAgenda<Int>()
        for engine in [7, 2, 7] { agenda.markChanged(engine) }
        #expect(Self.due(&agenda) == [2, 7])
        #expect(Self.due(&agenda).isEmpty)
    }

    @Test("Engines are read when their next change is due, and not for a change that was replaced")
    func alarms() {
        var agenda = ScenarioAgenda<Int>()
        agenda.setNextChange(Self.start.adding(milliseconds: 10_000), of: 1)
        agenda.setNextChange(Self.start.adding(milliseconds: 20_000), of: 2)
        agenda.setNextChange(Self.start.adding(milliseconds: 30_000), of: 1)
        agenda.setNextChange(nil, of: 2)
        #expect(Self.due(&agenda, after: 29).isEmpty)
        #expect(Self.due(&agenda, after: 30) == [1])
        #expect(Self.due(&agenda, after: 99).isEmpty)
    }

    @Test("An engine that ingested evidence has recorded the changes by time, unless all engines may have changed")
    func intake() {
        var agenda = ScenarioAgenda<Int>()
        agenda.markChanged(0)
        agenda.markIngested(1)
        #expect(agenda.popDue(at: Self.start).map(\.isBehind) == [true, false])
        agenda.markIngested(1)
        agenda.markAllChanged(0..<3)
        let due = agenda.popDue(at: Self.start)
        #expect(due.map(\.engine) == [0, 1, 2])
        #expect(due.allSatisfy { $0.isBehind })
    }

    @Test("An engine with doubts is read every time")
    func doubts() {
        var agenda = ScenarioAgenda<Int>()
        agenda.markUnpredictable(4)
        #expect(Self.due(&agenda) == [4])
        #expect(Self.due(&agenda) == [4])
    }

    @Test(
        "A month of many people reads each engine for its own purchase and renewal, and no other",
        .timeLimit(.minutes(20)))
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
        // Each customer's engine is read once when the customer appears, once for the purchase, and once for the
        // renewal.
        #expect(runner.readCount <= 3 * count)
    }
}
