import HTTPTypes
import Hummingbird

/// A route of the companion service.
///
/// The router, the access checks, the OpenAPI document and the metrics all use the values of this type.
package struct CompanionRoute: Sendable, Identifiable {
    /// The requests without a key that count toward the rate limit of their address.
    enum OpenLimit: Sendable {
        /// No request: the route has no limit.
        case none
        /// Only refused requests.
        case refusals
        /// All requests.
        case all
    }

    /// A content type of the body, and the body's schema as a line of YAML.
    typealias Body = (type: String, schema: String)
    /// Responds to an authorised request.
    typealias Handler = @Sendable (CompanionService, CompanionRequest) async throws -> Response

    /// The name of the route in the log, which is also the `operationId` in the OpenAPI document.
    package let id: String
    /// The HTTP method.
    let method: HTTPRequest.Method
    /// The path, with the names of parameters in braces.
    package let path: String
    /// The required scope; `nil` if no key is required.
    let scope: Scope?
    /// The requests that count toward the rate limit of their address, if no key is required.
    var openLimit = OpenLimit.all

    // MARK: Description

    let summary: String
    /// The parameters of the query and the header, each a line of YAML.
    var parameters: [String] = []
    var body: [Body] = []
    /// A description of the response.
    let answer: String
    /// The name of the response's schema, if it is JSON.
    var schema: String?
    /// The content types of the response, if JSON is not its only type.
    var types: [String] = []
    /// Whether the response has an ETag and Last-Modified, with which clients can revalidate it.
    var isCacheable = false
    /// Whether the response may redirect to another address.
    var redirects = false
    /// Whether the response to a request with a mistyped value may be the page with a notice, instead of a problem.
    var showsMistakes = false
    /// The problem statuses of this route that other routes of its kind do not have.
    var problems: [Int] = []

    // MARK: Responding

    let handler: Handler

    /// The supported methods; a route for `GET` also supports `HEAD`.
    var methods: [HTTPRequest.Method] { method == .get ? [.get, .head] : [method] }

    /// Whether a person uses the route, so that a browser prompts for a key.
    var isForPeople: Bool { scope == .desk || scope != nil && path.hasPrefix("/desk/") }

    /// The problem statuses of the route: the statuses of all routes of its kind, and its own statuses.
    var problemStatuses: [Int] {
        // Every route refuses a malformed address.
        var statuses = Set(problems).union([400])
        if scope != nil { statuses.formUnion([401, 403, 503]) }
        if openLimit != .none { statuses.insert(429) }
        if !body.isEmpty { statuses.formUnion([408, 413]) }
        return statuses.sorted()
    }
}
