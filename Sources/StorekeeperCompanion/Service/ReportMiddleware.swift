import HTTPTypes
import Hummingbird
import Logging

/// Records the responses of a route in the metrics and the log.
struct ReportMiddleware<Host: RequestContext>: RouterMiddleware {
    typealias Context = CompanionContext<Host>

    let metrics: RouteMetrics
    let route: CompanionRoute

    @concurrent
    func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        let response = try await next(request, context)
        let duration = ContinuousClock.now - context.start
        metrics.record(route, response.status.code, took: duration)
        // The log names neither the customer nor the key.
        context.logger.info(
            "answered",
            metadata: [
                "route": "\(route.id)", "status": "\(response.status.code)",
                "caller": "\((try? context.access.get())?.name ?? "-")", "ms": "\(duration / .milliseconds(1))",
            ])
        return response
    }
}
