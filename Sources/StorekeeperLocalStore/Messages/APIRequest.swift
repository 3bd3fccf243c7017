import Storekeeper

/// A request to the local App Store, whatever carried it.
package struct APIRequest: Sendable {
    /// `GET`, `POST`, `PUT`, `DELETE`.
    package var method: String
    /// The segments of the path, percent-decoded.
    package var path: [String]
    /// The parameters of the query in their order, percent-decoded.
    package var query: [(name: String, value: String)]
    /// The `Authorization` header.
    package var authorization: String?
    /// The other headers, by their names in lower case.
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

    /// All values of a parameter of the query.
    func values(_ name: String) -> [String] { query.filter { $0.name == name }.map(\.value) }

    /// The first value of a parameter of the query.
    func value(_ name: String) -> String? { query.first { $0.name == name }?.value }

    /// The body as a JSON object.
    ///
    /// - Throws: ``APIError/badRequest(_:)`` where it is none.
    func object() throws(APIError) -> JSONDocument {
        let document: JSONDocument
        do throws(JSONError) { document = try JSONReader(maximumDepth: 16, maximumSize: 1 << 20).read(body) } catch {
            throw .badRequest("the body is no JSON: \(error)")
        }
        guard document.root.object != nil else { throw .badRequest("the body is no JSON object") }
        return document
    }
}
