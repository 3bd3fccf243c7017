import Storekeeper
import StorekeeperPages
import StorekeeperSimulator

/// The checks of a saved test that sends requests to a local App Store.
struct ServedChecks: Sendable {
    /// The expected answers about a customer, written as in the local App Store's list of expectations.
    struct Answers: Sendable {
        let person: CustomerID
        /// The bundle id; `nil` for the first app.
        let app: String?
        /// The expectations in the syntax that follows `expect` in a scenario.
        var texts: [String]

        /// The URL path at which the local App Store lists the expectations that the customer meets.
        var path: String {
            let query = app.map { "?app=\($0.percentEncoded)" } ?? ""
            return "/local/v1/people/\(person.rawValue.percentEncoded)/expectations\(query)"
        }
    }

    /// The expected members of a signed document that the App Store Server API returns.
    struct Signed: Sendable {
        let bundleID: String
        let document: ScenarioExpectation.Signed.Document
        let id: Transaction.ID
        let originalID: Transaction.ID
        var members: [ScenarioExpectation.Signed.Member]
    }

    private(set) var answers: [Answers] = []
    private(set) var signed: [Signed] = []

    /// Converts scenario steps `expect` to checks.
    ///
    /// - Parameter present: Returns the expectations that a customer in an app meets at present, as the local App Store
    ///   lists them.
    /// - Throws: ``SavedTest/Refusal`` if a local App Store cannot answer an expectation.
    init(
        _ steps: [ScenarioStep], in served: ServedScenario, present: (CustomerID, String?) throws -> [String]
    ) throws {
        var lists: [SwiftQuestions.Customer: Set<String>] = [:]
        for step in steps {
            guard case .expect(let expectations) = step.action else { continue }
            for expectation in expectations {
                switch expectation {
                case .answer, .balance, .highest, .state:
                    guard let person = expectation.person,
                        let text = served.scenario.typed(expectation, app: step.app)
                    else { throw Self.refusal(of: step) }
                    let customer = SwiftQuestions.Customer(name: person, app: step.app)
                    let list = try lists[customer] ?? Set(present(person, step.app))
                    lists[customer] = list
                    guard list.contains(text) else { throw Self.refusal(of: step) }
                    append(text, of: customer)
                case .signed(let signed): try append(signed, of: step, in: served)
                case .receipt, .offer, .notifications, .happened, .events: throw Self.refusal(of: step)
                }
            }
        }
    }

    private static func refusal(of step: ScenarioStep) -> SavedTest.Refusal {
        SavedTest.Refusal(
            heading: "A local App Store cannot answer this.",
            lines: ["'\(step.text)' is not in its list of expectations: leave it out, or save a scenario"])
    }

    private mutating func append(_ text: String, of customer: SwiftQuestions.Customer) {
        if let place = answers.firstIndex(where: { $0.person == customer.name && $0.app == customer.app }) {
            answers[place].texts.append(text)
        } else {
            answers.append(Answers(person: customer.name, app: customer.app, texts: [text]))
        }
    }

    private mutating func append(
        _ signed: ScenarioExpectation.Signed, of step: ScenarioStep, in served: ServedScenario
    ) throws {
        guard let reference = signed.reference, signed.document != .notification,
            let id = try? served.store.transactionID(of: reference, app: step.app),
            let item = served.store.inspection(of: id)?.transaction, let originalID = item.originalID
        else { throw Self.refusal(of: step) }
        if let place = self.signed.firstIndex(where: { $0.id == id && $0.document == signed.document }) {
            self.signed[place].members += signed.members
        } else {
            self.signed.append(
                Signed(
                    bundleID: item.app, document: signed.document, id: id, originalID: originalID,
                    members: signed.members))
        }
    }
}

extension ScenarioExpectation.Signed.Value {
    /// The value as JSON; `nil` if the member is only expected to be present or absent.
    var json: JSONText? {
        switch self {
        case .absent, .present: nil
        case .whole(let number): .integer(number)
        case .text(let text): .string(text)
        case .flag(let flag): .bool(flag)
        case .time(let instant): .integer(instant.millisecondsSince1970)
        case .list(let items): .array(items.map(JSONText.string))
        }
    }
}
