public import Hummingbird
public import HummingbirdCore

/// Responds with problem details if no route does, and gives each request an id.
public struct ProblemMiddleware<Context: RequestContext>: RouterMiddleware {
    /// Makes the middleware.
    public init() {}

    /// Responds to a request, or with a problem.
    @concurrent
    public func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        try await RequestID.named(request) {
            do {
                return try await next(request, context)
            } catch let error as any HTTPResponseError {
                guard error.status != .notFound else { return Problem.notFound.response }
                return Problem(
                    error.status.code, "refused", "The request is not taken",
                    "\(error.status.reasonPhrase); see /openapi.yaml"
                ).response
            }
        }
    }
}
