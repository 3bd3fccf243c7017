import HTTPTypes
public import Hummingbird
public import HummingbirdCore
import Storekeeper
import StorekeeperPages

/// Responds with problem details if no route does, and gives each response a request id.
public struct ProblemMiddleware<Context: RequestContext>: RouterMiddleware {
    /// Makes the middleware.
    public init() {}

    /// Responds to a request, or with a problem.
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
                    error.status.code, "refused", "The request was refused",
                    "\(error.status.reasonPhrase); see /openapi.yaml"
                ).response
        }
        // The service's own routes have set theirs, which their log lines carry.
        if response.headers[.requestID] == nil { response.headers[.requestID] = request.id(in: context.logger) }
        return response
    }
}
