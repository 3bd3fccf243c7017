import HTTPTypes
import Hummingbird
import Logging
import StorekeeperPages

extension Request {
    private static let longestID = 128

    /// Returns the id by which the log lines of the request are found.
    ///
    /// If the client sent an id that is safe to log, returns the client's id. If not, returns the id of the host's
    /// context, or a new id if the context has none.
    func id(in logger: Logger) -> String {
        let given = headers[values: .requestID]
        if given.count == 1, let id = given.first, id.isVisibleASCII, id.utf8.count <= Self.longestID { return id }
        return logger[metadataKey: "hb.request.id"]?.description ?? RequestID().description
    }
}

extension Response {
    /// Returns the response with the id of its request, and without a body if the request is `HEAD`.
    func completed(for request: Request, id: String) -> Response {
        var response = self
        response.headers[.requestID] = id
        return request.method == .head ? response.createHeadResponse() : response
    }
}
