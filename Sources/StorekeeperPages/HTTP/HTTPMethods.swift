package import HTTPTypes

extension HTTPRequest.Method {
    /// The methods of RFC 9110, plus `PATCH` and `QUERY`.
    ///
    /// If a path does not support the method of a request, the server responds with status 405.
    package static let standard: [HTTPRequest.Method] =
        [.get, .head, .post, .put, .delete, .connect, .options, .trace, .patch]
        + [HTTPRequest.Method("QUERY")].compactMap(\.self)
}
