import HTTPTypes
import Hummingbird

/// A route of the companion service.
///
/// The router, the checks of access, the OpenAPI document and the labels of metrics read the same values.
package struct CompanionRoute: Sendable, Identifiable {
    /// The requests without a key that count toward the limit of their address.
    enum OpenLimit: Sendable {
        /// None: every request is answered.
        case none
        /// Only refused requests.
        case refusals
        /// All requests.
        case all
    }

    /// A content type, and its schema as a line of YAML.
    typealias Body = (type: String, schema: String)
    /// Responds to an authorised request.
    typealias Handler = @Sendable (CompanionService, CompanionRequest) async throws -> Response

    /// The name of the route in the log; also its `operationId`.
    package let id: String
    /// The HTTP method.
    let method: HTTPRequest.Method
    /// The path, with the names of parameters in braces.
    package let path: String
    /// The required scope; `nil` if no key is required.
    let scope: Scope?
    /// The rate limit, if no key is required.
    let openLimit: OpenLimit
    let handler: Handler

    // MARK: Description

    let summary: String
    /// The parameters of the query and the header, each a line of YAML.
    let parameters: [String]
    let body: [Body]
    /// A description of the response.
    let answer: String
    /// The name of the response's schema, if it is JSON.
    let schema: String?
    /// The content types of the response, if it is not JSON or has others.
    let types: [String]
    /// The problem statuses that only this route has.
    private let ownProblems: [Int]

    init(
        _ id: String, _ method: HTTPRequest.Method, _ path: String, scope: Scope?, limit openLimit: OpenLimit = .all,
        summary: String, parameters: [String] = [], body: [Body] = [], answer: String, schema: String? = nil,
        types: [String] = [], problems: [Int] = [], handler: @escaping Handler
    ) {
        self.id = id
        self.method = method
        self.path = path
        self.scope = scope
        self.openLimit = openLimit
        self.handler = handler
        self.summary = summary
        self.parameters = parameters
        self.body = body
        self.answer = answer
        self.schema = schema
        self.types = types
        ownProblems = problems
    }

    /// The supported methods: `HEAD` is supported with `GET`.
    var methods: [HTTPRequest.Method] { method == .get ? [.get, .head] : [method] }

    /// Whether a person uses the route, so that a browser prompts for a key.
    var isForPeople: Bool { scope == .desk }

    /// The problem statuses of the route: those of all routes of its kind, and its own.
    var problems: [Int] {
        // Every route refuses a malformed address.
        var statuses = Set(ownProblems).union([400])
        if scope != nil { statuses.formUnion([401, 403, 503]) }
        if openLimit != .none { statuses.insert(429) }
        if !body.isEmpty { statuses.formUnion([408, 413]) }
        return statuses.sorted()
    }
}
