import HTTPTypes
import Hummingbird
import HummingbirdCore

/// Tells browsers to use only TLS for this host, so that nobody can take the desk's key from a first request without TLS.
///
/// - SeeAlso: RFC 6797, "HTTP Strict Transport Security (HSTS)".
struct StrictTransportSecurity<Context: RequestContext>: RouterMiddleware {
    private static var maximumAge: String { "max-age=31536000" }

    @concurrent
    func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        response.headers[.strictTransportSecurity] = Self.maximumAge
        return response
    }
}
