import HTTPTypes
import Hummingbird
import Logging
import StorekeeperPages

extension Request {
    private static let longestID = 128

    /// Returns the request id, which the log lines of the request contain.
    ///
    /// This is the client's id, if the client sent an id that is safe to log. If not, it is the id in the logger's
    /// metadata, or a new id.
    func id(in logger: Logger) -> String {
        let given = headers[values: .requestID]
        if given.count == 1, let id = given.first, id.isVisibleASCII, id.utf8.count <= Self.longestID { return id }
        return logger[metadataKey: "hb.request.id"]?.description ?? RequestID().description
    }
}

extension Response {
    /// Returns the response with the id of its request, and without its body if the method is `HEAD`.
    func completed(for request: Request, id: String) -> Response {
        var response = self
        response.headers[.requestID] = id
        return request.method == .head ? response.createHeadResponse() : response
    }
}
