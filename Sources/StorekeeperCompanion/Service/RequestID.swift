import FoundationEssentials
import HTTPTypes
import Hummingbird
import Logging
import StorekeeperPages

/// The id of a request, by which its lines in several logs are found: the caller's, or a new one.
enum RequestID {
    private static let longest = 128

    /// Returns the caller's id if it is safe to log; otherwise a new one.
    static func id(of request: Request) -> String {
        let given = request.headers[values: .requestID]
        if given.count == 1, let id = given.first, id.isVisibleASCII, id.utf8.count <= longest { return id }
        return UUID().uuidString.lowercased()
    }
}

/// Adds the id of a request to its response and its log lines, and removes the body of responses to `HEAD`.
struct RequestIDMiddleware<Context: RequestContext>: RouterMiddleware {
    @concurrent
    func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        let id = RequestID.id(of: request)
        var context = context
        context.logger[metadataKey: "request"] = "\(id)"
        var response = try await next(request, context)
        response.headers[.requestID] = id
        return request.method == .head ? response.createHeadResponse() : response
    }
}
