import Storekeeper

/// One parameter of a query.
struct QueryParameter: Hashable, Sendable {
    let name: String
    let value: String

    init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// A request to the App Store Server API; the generic parameter is the type of the response.
///
/// The static functions in the extensions create requests, one function for each endpoint. A request contains no host
/// and no token, so that the same request can be sent to the sandbox and to production.
///
/// - SeeAlso: Apple, "App Store Server API".
public struct AppStoreServerRequest<Answer: Sendable>: Sendable {
    /// The app and environment that a response must be about.
    struct Expectation: Sendable {
        let bundleID: String
        let environment: AppStore.Environment
    }

    /// The endpoint.
    public let endpoint: AppStoreServerEndpoint
    /// The HTTP method: `GET`, `POST`, `PUT` or `DELETE`.
    public let method: HTTPMethod
    /// The path with its query, percent-encoded, beginning with a slash.
    public let target: String
    /// The body, which is JSON or an image; `nil` for a request without a body.
    public let body: [UInt8]?
    /// The content type of the body.
    let contentType: String
    /// A closure that parses the body of a response.
    let read: @Sendable ([UInt8], Expectation) throws(AppStoreServerError) -> Answer

    init(
        _ endpoint: AppStoreServerEndpoint, _ method: HTTPMethod, path: [String], query: [QueryParameter] = [],
        body: JSONText? = nil, image: [UInt8]? = nil,
        read: @escaping @Sendable ([UInt8], Expectation) throws(AppStoreServerError) -> Answer
    ) {
        self.endpoint = endpoint
        self.method = method
        var target = path.map { "/\(URLText.encoded($0))" }.joined()
        for (index, parameter) in query.enumerated() {
            target += index == 0 ? "?" : "&"
            target += "\(URLText.encoded(parameter.name))=\(URLText.encoded(parameter.value))"
        }
        self.target = target
        self.body = image ?? body?.bytes()
        contentType = image == nil ? "application/json" : "image/png"
        self.read = read
    }

    /// Creates a request whose response is JSON.
    ///
    /// - Parameter check: A closure that returns an error message if a response does not belong to this request;
    ///   otherwise `nil`.
    init(
        _ endpoint: AppStoreServerEndpoint, _ method: HTTPMethod, path: [String], query: [QueryParameter] = [],
        body: JSONText? = nil, json: @escaping @Sendable (JSONValue) throws(AppStoreServerError) -> Answer,
        check: @escaping @Sendable (Answer, Expectation) -> String? = { _, _ in nil }
    ) {
        self.init(endpoint, method, path: path, query: query, body: body) {
            bytes, expected throws(AppStoreServerError) in
            let document: JSONDocument
            do {
                document = try JSONReader(maximumDepth: 32, maximumSize: 1 << 20).read(bytes)
            } catch {
                throw AppStoreServerError(
                    .malformedResponse, "the response is not valid JSON: \(error)", mayHaveBeenDone: true, cause: error)
            }
            let answer = try json(document.root)
            if let fault = check(answer, expected) {
                throw AppStoreServerError(.mismatchedResponse, fault, mayHaveBeenDone: true)
            }
            return answer
        }
    }

    /// Returns an error message if a response is about another app or environment; otherwise `nil`.
    static func mismatch(
        bundleID: String, environment: AppStore.Environment, _ expected: Expectation
    ) -> String? {
        if !bundleID.hasSameBytes(as: expected.bundleID) {
            return "the response is about the app \"\(bundleID)\", not \"\(expected.bundleID)\""
        }
        if environment != expected.environment {
            return "the response is about \(environment.rawValue), not \(expected.environment.rawValue)"
        }
        return nil
    }

    /// Returns an id to be used as a component of a URL path, after checking it.
    ///
    /// - Throws: `invalidRequest` if the id does not consist of 1 to 64 digits, as all ids of the App Store do.
    static func digits(_ id: String, _ name: String) throws(AppStoreServerError) -> String {
        guard !id.isEmpty, id.utf8.count <= 64, id.utf8.allSatisfy({ (48...57).contains($0) }) else {
            throw AppStoreServerError(.invalidRequest, "the \(name) must consist of 1 to 64 digits")
        }
        return id
    }

    /// Returns a text to be used as a component of a URL path, after checking it.
    ///
    /// - Throws: `invalidRequest` if the text is empty, is too long, or would change the path.
    static func part(_ text: String, _ name: String) throws(AppStoreServerError) -> String {
        guard !text.isEmpty, text.utf8.count <= 256, text != ".", text != ".." else {
            throw AppStoreServerError(.invalidRequest, "the \(name) is empty, longer than 256 bytes, '.' or '..'")
        }
        return text
    }
}

/// Percent-encoding by RFC 3986.
enum URLText {
    /// Percent-encodes all bytes except ASCII letters, digits and `-._~`.
    static func encoded(_ text: String) -> String {
        var encoded: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 48...57, 65...90, 97...122, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
                encoded.append(byte)
            default:
                encoded.append(UInt8(ascii: "%"))
                for digit in [byte >> 4, byte & 15] { encoded.append(digit < 10 ? 48 + digit : 55 + digit) }
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }
}
