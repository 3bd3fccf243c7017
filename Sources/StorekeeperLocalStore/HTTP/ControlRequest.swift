import HTTPTypes
import Hummingbird
import Storekeeper

/// A request by which tests control or inspect a local App Store: its method, its path, and the function that responds.
struct ControlRequest: Sendable {
    let method: HTTPRequest.Method
    /// The path in the syntax of `openapi.yaml`.
    let path: String
    let respond: @Sendable (ControlAPI, RequestValues) async throws -> Response

    private init(
        _ method: HTTPRequest.Method, _ path: String,
        _ respond: @escaping @Sendable (ControlAPI, RequestValues) async throws -> Response
    ) {
        self.method = method
        self.path = "/local/v1\(path)"
        self.respond = respond
    }

    /// Creates a request whose response is a JSON document.
    private static func json(
        _ method: HTTPRequest.Method, _ path: String,
        _ answer: @escaping @Sendable (ControlAPI, RequestValues) async throws -> JSONText
    ) -> ControlRequest {
        ControlRequest(method, path) { .json(try await answer($0, $1)) }
    }

    /// All requests.
    static let all = [
        json(.get, "") { control, _ in control.overview },
        ControlRequest(.get, "/root.pem") { control, _ in Response(control.rootPEM, type: "application/x-pem-file") },
        json(.get, "/happenings") { $0.happenings(after: try $1.query.count("after")) },
        json(.get, "/transactions") { $0.transactions(of: $1.query.value("person")) },
        json(.get, "/notifications") { try $0.notifications(after: try $1.query.count("after")) },
        json(.get, "/people/{name}/evidence") { try $0.evidence(of: $1["name"], app: $1.query.value("app")) },
        json(.get, "/people/{name}/app-transaction") {
            try $0.appTransaction(of: $1["name"], app: $1.query.value("app"))
        },
        json(.get, "/people/{name}/receipt") { try $0.receipt(of: $1["name"], app: $1.query.value("app")) },
        json(.get, "/people/{name}/expectations") {
            try $0.expectations(of: $1["name"], app: $1.query.value("app"))
        },
        ControlRequest(.get, "/scenario") { try await $0.scenario($1.query) },
        json(.get, "/certificates") { control, _ in control.certificates },
        json(.post, "/certificates") { try $0.setCertificates($1.body) },
        json(.get, "/messaging") { try $0.messaging(of: $1.query.value("app")) },
        json(.post, "/messaging") { try $0.review($1.body) },
        json(.post, "/messaging/display") { try await $0.display($1.body) },
        json(.get, "/faults") { control, _ in control.faults },
        json(.post, "/steps") { try await $0.carryOut($1.body) },
        json(.get, "/story") { $0.story(after: try $1.query.count("after")) },
        json(.post, "/story/undo") { try await $0.undo($1.body) },
        json(.post, "/story/redo") { try await $0.redo($1.body) },
        json(.post, "/story/place") { try await $0.go($1.body) },
        json(.post, "/story/branches") { try $0.changeBranch($1.body) },
        json(.get, "/story/comparison") {
            try $0.comparison(try $1.query.count("first"), with: try $1.query.count("second"))
        },
    ]
}
