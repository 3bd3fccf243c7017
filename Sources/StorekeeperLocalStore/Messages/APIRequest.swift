import Storekeeper

/// A request to the local App Store, independent of its transport.
package struct APIRequest: Sendable {
    /// `GET`, `POST`, `PUT`, `DELETE`.
    package var method: String
    /// The segments of the path, percent-decoded.
    package var path: [String]
    /// The query parameters in order, percent-decoded.
    package var query: [(name: String, value: String)]
    /// The `Authorization` header.
    package var authorization: String?
    /// The other headers, by lower-case name.
    package var headers: [String: String]
    /// The body.
    package var body: [UInt8]

    /// Makes a request.
    package init(
        _ method: String, _ path: [String], query: [(name: String, value: String)] = [], authorization: String? = nil,
        headers: [String: String] = [:], body: [UInt8] = []
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.authorization = authorization
        self.headers = headers
        self.body = body
    }

    /// Returns all values of a query parameter.
    func values(_ name: String) -> [String] { query.filter { $0.name == name }.map(\.value) }

    /// Returns the first value of a query parameter.
    func value(_ name: String) -> String? { query.first { $0.name == name }?.value }

    /// Returns the body as a JSON object.
    ///
    /// - Throws: ``APIError/badRequest(_:)`` if the body is not a JSON object.
    func object() throws(APIError) -> JSONDocument {
        let document: JSONDocument
        do throws(JSONError) { document = try JSONReader(maximumDepth: 16, maximumSize: 1 << 20).read(body) } catch {
            throw .badRequest("the body is not JSON: \(error)")
        }
        guard document.root.object != nil else { throw .badRequest("the body is not a JSON object") }
        return document
    }
}
