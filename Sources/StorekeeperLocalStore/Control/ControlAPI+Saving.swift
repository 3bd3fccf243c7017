import Hummingbird
import Storekeeper
import StorekeeperSimulator

extension ControlAPI {
    /// Returns the expectations that a customer meets at present, in the syntax that follows `expect` in a scenario.
    func expectations(of person: String, app: String?) throws -> Expectations {
        let present = try CustomerAnswersQuery.expectations(
            of: CustomerID(rawValue: person), app: app, in: local.current)
        return Expectations(texts: present.items.map(\.text), now: local.store.now)
    }

    struct Expectations: JSONShaped {
        let texts: [String]
        let now: Instant

        static let shape = JSONShape<Self>([.member("expectations") { $0.texts }, .member("now") { $0.now }])
    }

    /// Returns a scenario that reproduces everything that has happened, or a test made from this scenario.
    func scenario(_ query: QueryValues) async throws -> Response {
        let word = query.value("format") ?? SavedTest.Format.scenario.rawValue
        guard let format = SavedTest.Format(rawValue: word) else {
            let known = SavedTest.Format.allCases.map(\.rawValue).joined(separator: ", ")
            throw APIError.badRequest("'format' must be one of \(known)")
        }
        let expectations = query.values("expect").filter { !$0.isEmpty }
        do {
            let test = try await local.savedTest(format, expecting: expectations)
            return Response(test, isDownload: format != .scenario)
        } catch let refusal as SavedTest.Refusal {
            let lines = [refusal.heading] + refusal.lines
            return .problem("impossibleTest", lines.joined(separator: "\n"), status: .unprocessableContent)
        }
    }
}

extension Response {
    /// Returns a saved test as a response.
    ///
    /// - Parameter isDownload: Whether a browser saves the test as a file instead of showing it.
    init(_ test: SavedTest, isDownload: Bool) {
        self.init(test.bytes, type: test.type)
        if isDownload { headers[.contentDisposition] = "attachment; filename=\"\(test.fileName)\"" }
    }
}
