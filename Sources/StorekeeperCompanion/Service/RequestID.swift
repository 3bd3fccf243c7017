import FoundationEssentials
import HTTPTypes
import Hummingbird
import StorekeeperPages

/// The id of a request, by which its lines in several logs are found: the caller's, or a new one.
enum RequestID {
    /// The id of the request being processed.
    @TaskLocal static var current: String?

    /// The header of the id, in requests and responses.
    static let header = HTTPField.Name("X-Request-Id") ?? .ifMatch
    private static let longest = 128

    /// Responds to a request under its id, which the response carries.
    static func named(_ request: Request, _ answer: () async throws -> Response) async rethrows -> Response {
        if current != nil { return try await answer() }
        let id = id(of: request)
        var response = try await $current.withValue(id) { try await answer() }
        response.headers[header] = id
        return response
    }

    /// Returns the caller's id if it is safe to log; otherwise a new one.
    private static func id(of request: Request) -> String {
        let given = request.headers[values: header]
        if given.count == 1, let id = given.first, id.isVisibleASCII, id.utf8.count <= longest { return id }
        return UUID().uuidString.lowercased()
    }
}
