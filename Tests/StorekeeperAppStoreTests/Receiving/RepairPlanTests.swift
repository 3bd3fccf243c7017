import Storekeeper
import StorekeeperAppStore
import Testing

/// Tests of the choice of the cheapest queries for a repair.
struct RepairPlanTests {
    private static let now = Instant(clamped: 1_772_358_600_000)
    private static func day(_ number: Int64) -> Instant { now.adding(milliseconds: number * 86_400_000) }

    private func situation(
        _ expected: Int, undelivered: Int? = nil, customers: [Int]? = nil
    ) -> RepairPlan.Situation {
        RepairPlan.Situation(
            from: Self.day(-10), to: Self.day(0), expected: expected, undelivered: undelivered,
            customers: customers?.enumerated().map {
                .init(transactionID: Transaction.ID(rawValue: "\($0.offset)"), expected: $0.element)
            })
    }

    struct Case: Sendable {
        var expected: Int
        var undelivered: Int?
        var customers: [Int]?
        var cost: Int
        var way: String
    }

    static let cases: [Case] = [
        Case(expected: 0, cost: 1, way: "all"), Case(expected: 20, cost: 1, way: "all"),
        Case(expected: 21, cost: 2, way: "all"), Case(expected: 1_000, cost: 50, way: "all"),
        Case(expected: 1_000, undelivered: 980, cost: 49, way: "failures"),
        // If two plans have equal cost, the plan that finds more notifications is chosen.
        Case(expected: 1_000, undelivered: 1_000, cost: 50, way: "all"),
        Case(expected: 1_000, customers: [1, 1, 1], cost: 3, way: "customers"),
        Case(expected: 1_000, customers: [500, 21], cost: 27, way: "customers"),
        Case(expected: 60, customers: [1, 1, 1], cost: 3, way: "all"),
        Case(expected: 40, customers: [1, 1, 1], cost: 2, way: "all"),
        Case(expected: 1_000, undelivered: 30, customers: [1, 1, 1], cost: 2, way: "failures"),
        Case(expected: 1_000, customers: [], cost: 0, way: "nobody"),
    ]

    @Test("The plan with the fewest requests is chosen", arguments: cases.indices)
    func cheapest(_ index: Int) {
        let wanted = Self.cases[index]
        let plan = RepairPlan.cheapest(
            for: situation(wanted.expected, undelivered: wanted.undelivered, customers: wanted.customers),
            at: Self.now)
        #expect(plan.cost == wanted.cost)
        switch wanted.way {
        case "all": #expect(plan.queries == [.init(from: Self.day(-10), to: Self.day(0))])
        case "failures": #expect(plan.queries.map(\.onlyFailures) == [true])
        case "customers": #expect(plan.queries.allSatisfy { $0.transactionID != nil && !$0.onlyFailures })
        default: #expect(plan.queries.isEmpty)
        }
    }

    @Test func `A plan is limited to the App Store's history, which is shorter in the sandbox`() {
        let situation = RepairPlan.Situation(from: .distantPast, to: .distantFuture, expected: 1)
        let plan = RepairPlan.cheapest(for: situation, at: Self.now)
        #expect(plan.queries.map(\.from) == [Self.day(-180).adding(milliseconds: 60_000)])
        #expect(plan.queries.map(\.to) == [Self.now])
        let sandbox = RepairPlan.cheapest(for: situation, at: Self.now, in: .sandbox)
        #expect(sandbox.queries.map(\.from) == [Self.day(-30).adding(milliseconds: 60_000)])
        let old = RepairPlan.Situation(from: Self.day(-400), to: Self.day(-300), expected: 1)
        #expect(RepairPlan.cheapest(for: old, at: Self.now).queries.isEmpty)
        let backwards = RepairPlan.Situation(from: Self.day(-1), to: Self.day(-2), expected: 1)
        #expect(RepairPlan.cheapest(for: backwards, at: Self.now).queries.isEmpty)
    }

    @Test func `The greatest numbers do not trap`() {
        let plan = RepairPlan.cheapest(
            for: situation(.max, undelivered: .max, customers: [.max, .max, .max]), at: Self.now)
        #expect(plan.cost > 0)
    }
}
