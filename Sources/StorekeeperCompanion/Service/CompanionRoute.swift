import HTTPTypes
import Hummingbird
import StorekeeperPages

/// A route of the companion service.
///
/// The router, the access checks, the OpenAPI document and the metrics all use the values of this type.
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
    var openLimit = OpenLimit.all

    // MARK: Description

    let summary: String
    /// The query parameters and header fields; a request under `/v1` with another query parameter is refused.
    var parameters: [OpenAPIOperation.Parameter] = []
    /// The content types of the body.
    ///
    /// ``CompanionRequest/object()`` and ``CompanionRequest/form()`` refuse a member that the schema does not have.
    var body: [OpenAPIOperation.Content] = []
    /// A description of the response.
    let answer: String
    /// The schema of the response; `nil` if the response is not JSON.
    var schema: Schema?
    /// The content types of the response; empty if the response is always JSON.
    var types: [String] = []
    /// Whether the response has the headers `ETag` and `Last-Modified`, so that clients can revalidate a cached
    /// response.
    var isCacheable = false
    /// Whether the response may redirect to another URL.
    var redirects = false
    /// The error statuses of this route that other routes of its kind do not have.
    var problems: [Int] = []

    // MARK: Responding

    let handler: Handler

    /// The supported methods; a route for `GET` also supports `HEAD`.
    var methods: [HTTPRequest.Method] { method == .get ? [.get, .head] : [method] }

    /// Whether people open the route in a browser, which then prompts for an access key.
    var isForPeople: Bool { scope == .desk || scope != nil && path.hasPrefix("/desk/") }

    /// The error statuses of the route: those of all routes of its kind, and those in ``problems``.
    var problemStatuses: [Int] {
        // Every route refuses a malformed URL.
        var statuses = Set(problems).union([400])
        if scope != nil { statuses.formUnion([401, 403, 503]) }
        if openLimit != .none { statuses.insert(429) }
        if !body.isEmpty { statuses.formUnion([408, 413]) }
        return statuses.sorted()
    }
}
