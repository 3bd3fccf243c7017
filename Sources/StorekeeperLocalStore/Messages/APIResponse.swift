package import Storekeeper

/// A response of the local App Store.
package struct APIResponse: Sendable {
    /// The HTTP status.
    package var status: Int
    /// The media type of the body; `nil` without a body.
    package var contentType: String?
    /// Further headers.
    package var headers: [(name: String, value: String)] = []
    /// The body.
    package var body: [UInt8]
    /// How the body is delivered.
    package var delivery = Delivery.whole

    /// How a body is delivered.
    package enum Delivery: Hashable, Sendable {
        case whole
        /// The first half, then the connection closes.
        case cut
        /// The first half, and the rest after a delay.
        case slow(milliseconds: Int64)
    }

    /// Makes a response.
    package init(status: Int, contentType: String? = nil, body: [UInt8] = []) {
        self.status = status
        self.contentType = contentType
        self.body = body
    }

    /// Returns a JSON document as a response.
    ///
    /// The type names no character set, because clients compare it literally.
    package static func json(_ text: JSONText, status: Int = 200) -> APIResponse {
        APIResponse(status: status, contentType: "application/json", body: text.bytes())
    }

    /// Returns an empty response.
    package static func empty(_ status: Int = 200) -> APIResponse { APIResponse(status: status) }

    /// Returns a plain text as a response.
    package static func text(_ text: String, status: Int = 200) -> APIResponse {
        APIResponse(status: status, contentType: "text/plain; charset=utf-8", body: Array(text.utf8))
    }

    /// Returns an error in the format of the App Store Server API.
    package static func error(_ error: APIError) -> APIResponse {
        json(
            .object(["errorCode": .integer(error.code), "errorMessage": .string(error.message)]), status: error.status)
    }

    /// Returns the response to too many requests; its `Retry-After` header is in milliseconds since 1970.
    static func tooManyRequests(retryAt: Instant) -> APIResponse {
        var response = APIResponse.error(.rateLimitExceeded)
        response.headers = [("Retry-After", "\(retryAt.millisecondsSince1970)")]
        return response
    }

    /// Returns the response to a method that the address does not support.
    static func wrongMethod(_ methods: [String]) -> APIResponse {
        let list = methods.joined(separator: ", ")
        var response = APIResponse.text("Use \(list).\n", status: 405)
        response.headers = [("Allow", list)]
        return response
    }

    /// Returns the response to an unknown token: plain text, not an error document.
    static func unauthenticated(_ reason: String) -> APIResponse {
        text("Unauthenticated\n\n\(reason)\n", status: 401)
    }
}
