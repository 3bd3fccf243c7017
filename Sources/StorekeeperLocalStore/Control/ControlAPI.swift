import Hummingbird
import Storekeeper
import StorekeeperJWS
import StorekeeperPages
import StorekeeperSimulator

/// The requests by which tests control a local App Store and inspect it.
///
/// `openapi.yaml` describes these requests. Steps have the same syntax as in scenarios.
struct ControlAPI: Sendable {
    let local: LocalAppStore

    private var store: SimulatedAppStore { local.store }

    // MARK: Inspecting

    var overview: JSONText {
        .object([
            "environment": .string(local.scenario.environment.rawValue), "now": .time(store.now),
            "nextEvent": .time(store.nextEvent), "nextSending": .time(local.outbox.nextDue),
            "apps": .array(local.scenario.apps.map { .string($0.bundleID) }),
            "people": .array(store.accounts.map { .string($0.rawValue) }),
            "happenings": .whole(store.happeningCount), "sendsNotifications": .bool(local.outbox.hasWebhook),
        ])
    }

    /// The root certificate in PEM.
    var rootPEM: String { store.authority.rootPEM }

    /// The active faults.
    var faults: JSONText { .object(["faults": .array(local.current.faults.active.map(\.document))]) }

    func happenings(after count: Int) -> JSONText {
        list("happenings", store.happenings(after: count).map(\.document))
    }

    /// Returns the transactions of a customer.
    ///
    /// - Parameter person: The name of the customer; `nil` for all customers.
    func transactions(of person: String?) -> JSONText {
        list(
            "transactions",
            store.transactions.filter { person == nil || $0.person.rawValue == person }.map { $0.document })
    }

    func notifications(after count: Int) throws -> JSONText {
        let news = store.happenings(after: count).filter { $0.notification != nil }
        return list(
            "notifications",
            try news.compactMap { happening in
                try store.notification(of: happening.id).map { text in
                    .object([
                        "happening": .whole(happening.id), "at": .time(happening.at),
                        "notification": .text(happening.notification), "signedPayload": .string(text),
                        "sendAttempts": .array(local.outbox.attempts(of: happening.id).map(\.json)),
                    ])
                }
            })
    }

    func evidence(of person: String, app: String?) throws -> JSONText {
        let texts = try store.evidence(of: CustomerID(rawValue: person), app: app)
        return .object(["evidence": .array(texts.map(JSONText.string))])
    }

    func appTransaction(of person: String, app: String?) throws -> JSONText {
        .object([
            "signedAppTransactionInfo": .string(
                try store.appTransaction(of: CustomerID(rawValue: person), app: app))
        ])
    }

    func receipt(of person: String, app: String?) throws -> JSONText {
        .object([
            "receipt-data": .string(
                StandardBase64.encode(try store.receipt(of: CustomerID(rawValue: person), app: app)))
        ])
    }

    /// The statuses that the OCSP responder reports.
    var certificates: JSONText {
        .object([
            "leaf": .string(local.certificates.verdict(on: .leaf).rawValue),
            "intermediate": .string(local.certificates.verdict(on: .intermediate).rawValue),
        ])
    }

    // MARK: Changing

    /// Carries out a step, as in `{"step": "buy gold.monthly by anna"}`, or several with `steps`, up to the first
    /// failure.
    func carryOut(_ body: [UInt8]) async throws -> JSONText {
        let texts = try Self.steps(in: JSONObject.reading(body))
        let before = store.happeningCount
        var outcomes: [JSONText] = []
        for text in texts {
            let step = try local.scenario.step(typed: text, people: ScenarioPeople(of: store))
            outcomes.append(try await local.carryOut(step).map(\.document) ?? .object([:]))
        }
        return .object([
            "now": .time(store.now), "outcomes": .array(outcomes),
            "happenings": .array(store.happenings(after: before).map(\.document)),
        ])
    }

    /// Sets the status that the OCSP responder reports for a certificate, as in `{"leaf": "revoked"}`.
    func setCertificates(_ body: [UInt8]) throws(APIError) -> JSONText {
        var wishes: [(OCSPResponder.Verdict, RevocationReport.Place)] = []
        for member in try JSONObject.reading(body) {
            let place: RevocationReport.Place
            switch member.name {
            case "leaf": place = .leaf
            case "intermediate": place = .intermediate
            default: throw .badRequest("'\(member.name)' is not a certificate: write leaf or intermediate")
            }
            guard let verdict = member.value.string.flatMap(OCSPResponder.Verdict.init) else {
                let words = OCSPResponder.Verdict.allCases.map(\.rawValue).joined(separator: ", ")
                throw .badRequest("the status of a certificate must be one of \(words)")
            }
            wishes.append((verdict, place))
        }
        for (verdict, place) in wishes { local.certificates.set(verdict, on: place) }
        return certificates
    }

    // MARK: Parts

    private func list(_ name: String, _ items: [JSONText]) -> JSONText {
        .object([name: .array(items), "now": .time(store.now), "count": .whole(store.happeningCount)])
    }

    /// Returns the texts of the member `step` or `steps`; exactly one of these members must be present.
    private static func steps(in body: JSONObject) throws(APIError) -> [String] {
        var (texts, members) = ([String](), 0)
        for member in body {
            members += 1
            switch (member.name, member.value.string, member.value.array) {
            case ("step", let text?, _): texts.append(text)
            case ("steps", _, let list?):
                for element in list {
                    guard let text = element.string else { throw .badRequest("a step must be a text") }
                    texts.append(text)
                }
            default:
                throw .badRequest("'\(member.name.prefix(64))' must be 'step' with a text, or 'steps' with an array")
            }
        }
        guard !texts.isEmpty, members == 1 else {
            throw .badRequest("write {\"step\": \"buy gold.monthly by anna\"}, or steps")
        }
        return texts
    }
}

extension ControlAPI {
    /// Returns the expectations that a customer meets at present, in the syntax that follows `expect` in a scenario.
    func expectations(of person: String, app: String?) throws -> JSONText {
        let present = try CustomerAnswersQuery.expectations(
            of: CustomerID(rawValue: person), app: app, in: local.current)
        return .object([
            "expectations": .array(present.items.map { .string($0.text) }), "now": .time(local.store.now),
        ])
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

/// Requests about the store's story, which is its recorded history of steps, with branches, undo and redo.
extension ControlAPI {
    /// Returns the steps and branches of the story, with the current step and branch.
    ///
    /// - Parameter count: The number of steps to leave out at the beginning.
    func story(after count: Int = 0) -> JSONText {
        let tree = local.recorder.story.tree
        return .object([
            "step": .whole(tree.current), "branch": .whole(tree.currentBranch), "now": .time(local.store.now),
            "undo": .whole(tree.previous?.id), "redo": .whole(tree.next?.id), "count": .whole(tree.steps.count),
            "branches": .array(
                tree.branches.map { branch in
                    .object([
                        "id": .whole(branch.id), "name": .string(branch.name), "step": .whole(branch.tip),
                        "isDeleted": .bool(branch.isDeleted),
                    ])
                }),
            "steps": .array(tree.steps.dropFirst(max(0, count)).map(\.document)),
        ])
    }

    func undo(_ body: [UInt8]) async throws -> JSONText {
        try Self.checkIsEmpty(body)
        try await local.undo()
        return story(after: .max)
    }

    func redo(_ body: [UInt8]) async throws -> JSONText {
        try Self.checkIsEmpty(body)
        try await local.redo()
        return story(after: .max)
    }

    /// Moves the store to its state after a step, as in `{"step": 3}`, or after the last step of a branch, as in
    /// `{"branch": 2}`.
    func go(_ body: [UInt8]) async throws -> JSONText {
        let json = try JSONObject.reading(body, as: .place)
        switch (try json.number("step"), try json.number("branch")) {
        case (let step?, nil): try await local.go(to: step)
        case (nil, let branch?): try await local.go(toBranch: branch)
        default: throw APIError.badRequest("write {\"step\": 3} or {\"branch\": 2}")
        }
        return story(after: .max)
    }

    /// Renames, deletes or restores a branch, as in `{"branch": 2, "name": "Refunded"}`,
    /// `{"branch": 2, "isDeleted": true}`.
    func changeBranch(_ body: [UInt8]) throws -> JSONText {
        let json = try JSONObject.reading(body, as: .branchChange)
        guard let branch = try json.number("branch") else { throw APIError.badRequest("branch is missing") }
        let isDeleted = json["isDeleted"]?.bool
        guard json["isDeleted"] == nil || isDeleted != nil else {
            throw APIError.badRequest("isDeleted must be true or false")
        }
        guard let name = try json.text("name") else {
            guard let isDeleted else { throw APIError.badRequest("write a name, or isDeleted") }
            try local.setDeleted(isDeleted, branch: branch)
            return story(after: .max)
        }
        guard isDeleted == nil else { throw APIError.badRequest("write a name or isDeleted, not both") }
        try local.rename(branch: branch, to: name)
        return story(after: .max)
    }

    /// Checks that a request has no body, or an empty object.
    private static func checkIsEmpty(_ body: [UInt8]) throws(APIError) {
        if !body.isEmpty { _ = try JSONObject.reading(body, as: .empty) }
    }

    /// Returns the differences between the customers at the ends of two branches.
    func comparison(_ first: Int, with second: Int) throws -> JSONText {
        try StoryComparison(of: first, and: second, in: local.current).document
    }
}

extension StoryTree.Step {
    /// The step as a JSON document.
    var document: JSONText {
        .object([
            "id": .whole(id), "parent": .whole(parent), "kind": .string(kind.rawValue), "text": .string(text),
            "at": .time(at), "requests": requests.isEmpty ? .null : .array(requests.map(JSONText.string)),
        ])
    }
}

extension JSONObject {
    /// Returns a member that is a whole number; `nil` if the member is absent.
    fileprivate func number(_ name: String) throws(APIError) -> Int? {
        guard let value = self[name] else { return nil }
        guard let number = value.int64.flatMap({ Int(exactly: $0) }) else {
            throw .badRequest("\(name) must be a whole number")
        }
        return number
    }
}
