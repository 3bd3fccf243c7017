import FoundationEssentials
import HTTPTypes
import Hummingbird
import StorekeeperPages

/// The name of a request, by which its lines in several logs are found: the caller's own, or one that is made here.
enum RequestID {
    /// That of the request that is being answered.
    @TaskLocal static var current: String?

    /// The header that carries it, both ways.
    static let header = HTTPField.Name("X-Request-Id") ?? .ifMatch
    private static let longest = 128

    /// Answers a request under its name, which the answer carries.
    static func named(_ request: Request, _ answer: () async throws -> Response) async rethrows -> Response {
        if current != nil { return try await answer() }
        let id = id(of: request)
        var response = try await $current.withValue(id) { try await answer() }
        response.headers[header] = id
        return response
    }

    /// The caller's, where it is one that can stand in a log as it is; else a new one.
    private static func id(of request: Request) -> String {
        let given = request.headers[values: header]
        if given.count == 1, let id = given.first, id.isVisibleASCII, id.utf8.count <= longest { return id }
        return UUID().uuidString.lowercased()
    }
}
