import Storekeeper
import StorekeeperSimulator

/// The checks of a saved Swift test, which compare the answers of each customer's engine with the expected answers.
struct SwiftQuestions: Sendable {
    /// A customer in an app.
    struct Customer: Hashable, Sendable {
        let name: CustomerID
        /// The bundle id; `nil` for the first app.
        let app: String?
    }

    /// The customers with the checks of their answers.
    ///
    /// Each check is a line of Swift, in which `store` is the customer's engine.
    private(set) var customers: [(customer: Customer, lines: [String])] = []

    /// Converts scenario steps `expect` to checks of engines.
    ///
    /// The engine of the test has only the evidence that exists at the end of the story. An expectation that needs more
    /// than this evidence, for example about a pending purchase, is left out. The test still checks such an expectation
    /// when it plays the scenario.
    init(_ steps: [ScenarioStep], in played: SimulatedAppStore) async throws {
        var wanted: [(customer: Customer, expectations: [ScenarioExpectation])] = []
        for step in steps {
            guard case .expect(let expectations) = step.action, let person = expectations.first?.person else {
                continue
            }
            let customer = Customer(name: person, app: step.app)
            if let place = wanted.firstIndex(where: { $0.customer == customer }) {
                wanted[place].expectations += expectations
            } else {
                wanted.append((customer, expectations))
            }
        }
        for (customer, expectations) in wanted {
            let session = try SimulatedSession(customer: customer.name, in: played, app: customer.app)
            let store = try await session.openStore().store
            try await store.sync()
            let lines = expectations.compactMap { Self.line($0, in: store) }
            if !lines.isEmpty { customers.append((customer, lines)) }
        }
    }

    /// Returns the check of an expectation; `nil` if the engine's answer would differ from the expectation.
    private static func line(_ expectation: ScenarioExpectation, in store: Store) -> String? {
        switch expectation {
        case .answer(let answer):
            let isFeature = store.snapshot.resolution.catalog.product(Product.ID(answer.subject)) == nil
            let found =
                isFeature
                ? store.feature(Feature.ID(answer.subject)) : store.entitlement(for: Product.ID(answer.subject))
            guard found.word == answer.word, answer.reason == nil || found.reasonWord == answer.reason,
                answer.until == nil, !answer.isEndless
            else { return nil }
            let call = isFeature ? "feature(" : "entitlement(for: "
            let test = answer.reason.map { "reason == .\($0)" } ?? "kind == .\(answer.word)"
            return "#expect(store.\(call)\(SourceText.swift(answer.subject))).\(test))"
        case .balance(let id, let amount, _):
            guard store.balance(of: id).amount == amount else { return nil }
            return "#expect(store.balance(of: \(SourceText.swift(id.rawValue))).amount == \(amount))"
        case .highest(let group, let product, _):
            guard store.highestStatus(group: group)?.transaction.productID == product else { return nil }
            let value = product.map { SourceText.swift($0.rawValue) } ?? "nil"
            return "#expect(store.highestStatus(group: \(SourceText.swift(group)))?.transaction.productID == \(value))"
        case .state(let subject, let state, _):
            guard store.highestStatus(group: subject)?.state == state else { return nil }
            return "#expect(store.highestStatus(group: \(SourceText.swift(subject)))?.state == .\(state.rawValue))"
        case .receipt, .offer, .notifications, .happened, .events, .signed: return nil
        }
    }
}
