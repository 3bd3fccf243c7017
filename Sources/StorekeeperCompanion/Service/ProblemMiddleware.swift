public import Hummingbird
public import HummingbirdCore

/// Answers with problem details what no route has answered, too, and gives each request a name.
public struct ProblemMiddleware<Context: RequestContext>: RouterMiddleware {
    /// Makes the middleware.
    public init() {}

    /// Answers a request, or says why not.
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
