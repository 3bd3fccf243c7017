import HTTPTypes
public import Hummingbird
public import HummingbirdCore
import Storekeeper
import StorekeeperPages

/// Responds with problem details (RFC 9457) if no route responds, and adds a request id to each response.
public struct ProblemMiddleware<Context: RequestContext>: RouterMiddleware {
    /// Makes the middleware.
    public init() {}

    /// Responds to a request with the response of its route, or with problem details if no route responds.
    @concurrent
    public func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        var response: Response
        do {
            response = try await next(request, context)
        } catch let error as any HTTPResponseError {
            response =
                error.status == .notFound
                ? Problem.notFound.response
                : Problem(
                    .refused, status: error.status.code,
                    "\(error.status.reasonPhrase); see /openapi.yaml"
                ).response
        }
        // A route of the service has already set the request id, which its log lines contain.
        if !response.headers.contains(.requestID) { response.headers[.requestID] = request.id(in: context.logger) }
        return response
    }
}
