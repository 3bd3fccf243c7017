import Storekeeper
import StorekeeperSimulator

extension CustomerAnswersQuery {
    /// Returns the expectations that a customer meets at present, in a form that a scenario can check.
    ///
    /// - Parameter app: The bundle id; `nil` for the first app.
    /// - Throws: ``SimulatorError`` if the customer or app does not exist; errors of the cryptographic library.
    static func expectations(
        of customer: CustomerID, app: String?, in served: ServedScenario
    ) throws -> PresentExpectations {
        let first = served.scenario.apps.first?.bundleID ?? ""
        let bundleID = app ?? first
        let query = try CustomerAnswersQuery(of: customer, app: bundleID, in: served)
        return try PresentExpectations(
            of: customer, app: bundleID == first ? nil : bundleID, query.resolution, at: query.at,
            transactions: try served.store.transactions(of: customer, app: bundleID), in: served)
    }
}

extension LocalAppStore {
    /// Returns a test that replays the story up to the current step.
    ///
    /// - Parameter expectations: The expectations at the end, in the syntax of the step `expect`.
    /// - Throws: `ScenarioError` if an expectation is malformed; `SavedTest.Refusal`; errors of the cryptographic
    ///   library.
    func savedTest(_ format: SavedTest.Format, expecting expectations: [String]) async throws -> SavedTest {
        let served = current
        return try await SavedTest(format, of: served, expecting: expectations, wallClock: configuration.wallClock) {
            try CustomerAnswersQuery.expectations(of: $0, app: $1, in: served).items.map(\.text)
        }
    }
}
