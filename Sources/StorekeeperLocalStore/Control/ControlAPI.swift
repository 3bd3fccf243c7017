import Storekeeper
import StorekeeperJWS
import StorekeeperSimulator

/// The requests by which tests control a local App Store and inspect it.
///
/// `openapi.yaml` describes them; steps use the words of scenarios.
struct ControlAPI: Sendable {
    let local: LocalAppStore

    private var store: SimulatedAppStore { local.store }

    func respond(to request: APIRequest) async -> APIResponse {
        guard let (route, name) = ControlRoute.find(request.method, request.path) else {
            return Self.missing(request.path)
        }
        do {
            switch route {
            case .overview: return .json(overview)
            case .rootCertificate:
                return APIResponse(
                    status: 200, contentType: "application/x-pem-file", body: Array(store.authority.rootPEM.utf8))
            case .happenings: return try happenings(request)
            case .transactions: return transactions(request)
            case .notifications: return try notifications(request)
            case .evidence:
                let texts = try store.evidence(of: CustomerID(rawValue: name), app: request.value("app"))
                return .json(.object(["evidence": .array(texts.map(JSONText.string))]))
            case .appTransaction:
                let text = try store.appTransaction(of: CustomerID(rawValue: name), app: request.value("app"))
                return .json(.object(["signedAppTransactionInfo": .string(text)]))
            case .scenario:
                return APIResponse(
                    status: 200, contentType: "application/yaml", body: Array(local.current.saved.text.utf8))
            case .certificates: return .json(certificates)
            case .faults:
                return .json(.object(["faults": .array(local.current.faults.active.map(\.document))]))
            case .carryOut: return try await carryOut(request)
            case .setCertificates: return try setCertificates(request)
            }
        } catch let error as SimulatorError {
            return Self.problem("\(error.code.rawValue)", error.message, status: 422)
        } catch let error as ScenarioError {
            return Self.problem("malformedStep", error.all.map(\.description).joined(separator: "\n"), status: 400)
        } catch is LocalAppStore.StepRefusal {
            return Self.problem(
                "noEngine", "a local App Store has no engine: leave out 'expect', 'spend' and 'grant'", status: 422)
        } catch let error as APIError {
            return Self.problem("malformedRequest", error.message, status: 400)
        } catch {
            return Self.problem("failed", "\(error)", status: 500)
        }
    }

    // MARK: Inspecting

    private var overview: JSONText {
        .object([
            "environment": .string(local.scenario.environment.rawValue), "now": .time(store.now),
            "nextEvent": .time(store.nextEvent), "nextSending": .time(local.outbox.nextDue),
            "apps": .array(local.scenario.apps.map { .string($0.bundleID) }),
            "people": .array(store.accounts.map { .string($0.rawValue) }),
            "happenings": .whole(store.happeningCount), "sendsNotifications": .bool(local.outbox.hasWebhook),
        ])
    }

    private func happenings(_ request: APIRequest) throws(APIError) -> APIResponse {
        .json(list("happenings", store.happenings(after: try Self.count("after", of: request)).map(\.document)))
    }

    private func transactions(_ request: APIRequest) -> APIResponse {
        let person = request.value("person")
        return .json(
            list(
                "transactions",
                store.transactions.filter { person == nil || $0.person.rawValue == person }.map { $0.document }))
    }

    private func notifications(_ request: APIRequest) throws -> APIResponse {
        let news = store.happenings(after: try Self.count("after", of: request)).filter { $0.notification != nil }
        return .json(
            list(
                "notifications",
                try news.compactMap { happening in
                    try store.notification(of: happening.id).map { text in
                        .object([
                            "happening": .whole(happening.id), "at": .time(happening.at),
                            "notification": .text(happening.notification), "signedPayload": .string(text),
                            "sendAttempts": .array(local.outbox.attempts(of: happening.id).map(\.json)),
                        ])
                    }
                }))
    }

    private var certificates: JSONText {
        .object([
            "leaf": .string(local.certificates.verdict(on: .leaf).rawValue),
            "intermediate": .string(local.certificates.verdict(on: .intermediate).rawValue),
        ])
    }

    // MARK: Changing

    /// Carries out `{"step": "buy gold.monthly by anna"}` or `{"steps": […]}`, up to the first failing step.
    private func carryOut(_ request: APIRequest) async throws -> APIResponse {
        let document = try request.object()
        guard let body = document.root.object else { throw APIError.badRequest("the body is not a JSON object") }
        let texts = try Self.steps(in: body)
        let before = store.happeningCount
        var outcomes: [JSONText] = []
        // Kept across steps: with very many people, a list for each step would take longer than the steps.
        var people = ScenarioPeople(store.accounts)
        for text in texts {
            people.add(store.accounts(after: people.count))
            let step = try local.scenario.step(typed: text, people: people)
            outcomes.append(try await local.carryOut(step).map(\.document) ?? .object([:]))
        }
        return .json(
            .object([
                "now": .time(store.now), "outcomes": .array(outcomes),
                "happenings": .array(store.happenings(after: before).map(\.document)),
            ]))
    }

    /// Sets the status that the OCSP responder reports: `{"leaf": "revoked"}`.
    private func setCertificates(_ request: APIRequest) throws(APIError) -> APIResponse {
        let document = try request.object()
        guard let body = document.root.object else { throw .badRequest("the body is not a JSON object") }
        var wishes: [(CertificateDesk.Verdict, RevocationReport.Place)] = []
        for member in body {
            let place: RevocationReport.Place
            switch member.name {
            case "leaf": place = .leaf
            case "intermediate": place = .intermediate
            default: throw .badRequest("'\(member.name)' is not a certificate: write leaf or intermediate")
            }
            guard let verdict = member.value.string.flatMap(CertificateDesk.Verdict.init) else {
                let words = CertificateDesk.Verdict.allCases.map(\.rawValue).joined(separator: ", ")
                throw .badRequest("the status of a certificate must be one of \(words)")
            }
            wishes.append((verdict, place))
        }
        for (verdict, place) in wishes { local.certificates.set(verdict, on: place) }
        return .json(certificates)
    }

    // MARK: Parts

    private func list(_ name: String, _ items: [JSONText]) -> JSONText {
        .object([name: .array(items), "now": .time(store.now), "count": .whole(store.happeningCount)])
    }

    private static func count(_ name: String, of request: APIRequest) throws(APIError) -> Int {
        guard let text = request.value(name) else { return 0 }
        guard let count = Int(text), count >= 0 else {
            throw .badRequest("'\(name)' must be a whole number, 0 or greater")
        }
        return count
    }

    /// Returns the texts of `step` or `steps`; exactly one of the two must be present.
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

    /// Returns the response to an unknown address, or to a method that the address does not support.
    private static func missing(_ path: [String]) -> APIResponse {
        let methods = ControlRoute.methods(at: path).joined(separator: ", ")
        guard !methods.isEmpty else {
            return problem("notFound", "this request does not exist; see /openapi.yaml", status: 404)
        }
        var response = problem("wrongMethod", "use \(methods)", status: 405)
        response.headers.append(("Allow", methods))
        return response
    }

    /// - SeeAlso: RFC 9457, "Problem Details for HTTP APIs".
    static func problem(_ code: String, _ message: String, status: Int) -> APIResponse {
        var response = APIResponse.json(
            .object([
                "type": .string("about:blank"), "title": .string(code), "status": .whole(status),
                "detail": .string(message),
            ]), status: status)
        response.contentType = "application/problem+json"
        return response
    }
}
