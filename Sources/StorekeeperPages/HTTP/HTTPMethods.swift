package import HTTPTypes

extension HTTPRequest.Method {
    /// The methods of RFC 9110, `PATCH` and `QUERY`.
    ///
    /// A path answers with status 405 if it does not support the method of a request.
    package static let standard: [HTTPRequest.Method] =
        [.get, .head, .post, .put, .delete, .connect, .options, .trace, .patch]
        + [HTTPRequest.Method("QUERY")].compactMap(\.self)
}
