package import HTTPTypes

extension HTTPRequest.Method {
    /// The methods of RFC 9110, `PATCH` and `QUERY`: a path answers those that it does not support with 405.
    package static let standard: [HTTPRequest.Method] =
        [.get, .head, .post, .put, .delete, .connect, .options, .trace, .patch]
        + [HTTPRequest.Method("QUERY")].compactMap(\.self)
}
