import HTTPTypes
import Hummingbird
import Storekeeper
import StorekeeperPages

/// A route of the companion service: the requests that it takes, its answers, and the function that responds.
///
/// The router, the access checks, the checks of parameters and members, the OpenAPI document and the metrics all use
/// the values of this type.
package struct CompanionRoute: Sendable, Identifiable {
    /// The requests without an access key that count toward the rate limit of the client's IP address.
    enum OpenLimit: Sendable {
        /// No requests, so the route has no limit.
        case none
        /// Only refused requests.
        case refusals
        /// All requests.
        case all
    }

    typealias Parameter = RequestParameter
    typealias Body = BodyDescription
    /// Responds to an authorised request.
    typealias Handler = @Sendable (CompanionService, CompanionRequest) async throws -> Response

    /// The name of the route in the log, which is also the `operationId` in the OpenAPI document.
    package let id: String
    /// The HTTP method.
    let method: HTTPRequest.Method
    /// The path, with the names of parameters in braces.
    package let path: String
    /// The scope that an access key must have; `nil` if the route requires no key.
    let scope: Scope?
    /// The requests that count toward the rate limit of the client's IP address, if the route requires no key.
    let openLimit: OpenLimit
    /// What the route does, as one sentence without a full stop.
    let summary: String
    let parameters: [Parameter]
    let body: Body?
    /// A description of the response.
    let answer: String
    /// The type of a JSON response; `nil` if the response is not JSON.
    let content: (any JSONTyped.Type)?
    /// The content types of the response besides JSON.
    let types: [String]
    /// Whether the response has the headers `ETag` and `Last-Modified`, so that clients can revalidate a cached
    /// response.
    let isCacheable: Bool
    /// Whether the response may redirect to another URL.
    let redirects: Bool
    /// The error statuses of this route that other routes of its kind do not have.
    let problems: [Int]
    let handler: Handler

    /// Creates a route whose handler makes the response.
    init(
        _ id: String, _ method: HTTPRequest.Method, _ path: String, _ scope: Scope?, openLimit: OpenLimit = .all,
        _ summary: String, parameters: [Parameter] = [], body: Body? = nil, answer: String,
        content: (any JSONTyped.Type)? = nil, types: [String] = [], isCacheable: Bool = false,
        redirects: Bool = false, problems: [Int] = [], handler: @escaping Handler
    ) {
        (self.id, self.method, self.path, self.scope) = (id, method, path, scope)
        (self.openLimit, self.summary, self.parameters) = (openLimit, summary, parameters)
        (self.body, self.answer, self.content, self.types) = (body, answer, content, types)
        (self.isCacheable, self.redirects, self.problems) = (isCacheable, redirects, problems)
        self.handler = handler
    }

    /// Creates a route that responds with the JSON of a value.
    init<Content: JSONTyped>(
        _ id: String, _ method: HTTPRequest.Method, _ path: String, _ scope: Scope?, openLimit: OpenLimit = .all,
        _ summary: String, parameters: [Parameter] = [], body: Body? = nil, answer: String,
        cacheControl: String = "no-store", problems: [Int] = [],
        content: @escaping @Sendable (CompanionService, CompanionRequest) async throws -> Content
    ) {
        self.init(
            id, method, path, scope, openLimit: openLimit, summary, parameters: parameters, body: body,
            answer: answer, content: Content.self, problems: problems
        ) { CompanionService.json(try await content($0, $1).json, cacheControl: cacheControl) }
    }

    /// The supported methods; a route for `GET` also supports `HEAD`.
    var methods: [HTTPRequest.Method] { method == .get ? [.get, .head] : [method] }

    /// Whether people open the route in a browser, which then prompts for an access key.
    var isForPeople: Bool { scope == .desk || scope != nil && path.hasPrefix("/desk/") }

    /// Whether an unknown query parameter is refused, since its name is probably misspelled.
    var checksParameters: Bool { path.hasPrefix("/v1/") }

    /// The error statuses of the route: those of all routes of its kind, and those in ``problems``.
    private var problemStatuses: Set<Int> {
        // Every route refuses a malformed URL.
        var statuses = Set(problems).union([400])
        if scope != nil { statuses.formUnion([401, 403, 503]) }
        if openLimit != .none { statuses.insert(429) }
        if body != nil { statuses.formUnion([408, 413]) }
        return statuses
    }
}

// MARK: - Description

extension CompanionRoute {
    /// The description of the route.
    var operation: OpenAPIDocument.Operation {
        let schema = content?.jsonSchema
        return OpenAPIDocument.Operation(
            method.rawValue, path, parameters: parameters, body: body, responses: responses(schema),
            schemas: [schema].compactMap(\.self),
            [
                "operationId": .string(id), "summary": .string(summary), "x-scope": .text(scope?.rawValue),
                "security": .array(scope == nil ? [] : [.object(["key": .array([])])]),
            ])
    }

    private func responses(_ schema: JSONSchema?) -> [String: JSONText] {
        var content = Dictionary(types.map { ($0, JSONSchema.string) }) { first, _ in first }
        content["application/json"] = schema
        var headers = ["X-Request-Id": OpenAPIDocument.reference("headers", "RequestID")]
        if isCacheable {
            headers["ETag"] = OpenAPIDocument.reference("headers", "ETag")
            headers["Last-Modified"] = OpenAPIDocument.reference("headers", "LastModified")
        }
        var responses = ["200": OpenAPIDocument.response(answer, content, headers: headers)]
        if redirects { responses["303"] = OpenAPIDocument.response("A page of the desk.", headers: headers) }
        if isCacheable {
            responses["304"] = OpenAPIDocument.response("The response has not changed.", headers: headers)
        }
        for status in problemStatuses {
            responses[String(status)] = OpenAPIDocument.reference(
                "responses", isForPeople ? "ProblemOrPage" : "Problem")
        }
        return responses
    }
}
