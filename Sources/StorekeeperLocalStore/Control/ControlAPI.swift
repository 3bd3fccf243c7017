import Storekeeper
import StorekeeperJWS
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
