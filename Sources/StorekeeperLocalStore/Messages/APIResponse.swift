package import Storekeeper

/// What the local App Store answers.
package struct APIResponse: Sendable {
    /// The number of the HTTP status.
    package var status: Int
    /// The type of the body; `nil` without one.
    package var contentType: String?
    /// More headers.
    package var headers: [(name: String, value: String)] = []
    /// The body.
    package var body: [UInt8]
    /// How the body comes.
    package var delivery = Delivery.whole

    /// How a body comes.
    package enum Delivery: Hashable, Sendable {
        case whole
        /// Its first half, then the connection ends.
        case cut
        /// Its first half, and the rest after a while.
        case slow(milliseconds: Int64)
    }

    /// Makes an answer.
    package init(status: Int, contentType: String? = nil, body: [UInt8] = []) {
        self.status = status
        self.contentType = contentType
        self.body = body
    }

    /// A JSON document.
    ///
    /// Clients compare the type letter by letter, so that it names no character set.
    package static func json(_ text: JSONText, status: Int = 200) -> APIResponse {
        APIResponse(status: status, contentType: "application/json", body: text.bytes())
    }

    /// Success without a body.
    package static func empty(_ status: Int = 200) -> APIResponse { APIResponse(status: status) }

    /// A plain text.
    package static func text(_ text: String, status: Int = 200) -> APIResponse {
        APIResponse(status: status, contentType: "text/plain; charset=utf-8", body: Array(text.utf8))
    }

    /// An error as the App Store Server API writes it.
    package static func error(_ error: APIError) -> APIResponse {
        json(
            .object(["errorCode": .integer(error.code), "errorMessage": .string(error.message)]), status: error.status)
    }

    /// What comes of too many requests: when to ask again stands in a header, in milliseconds of 1970.
    static func tooManyRequests(retryAt: Instant) -> APIResponse {
        var response = APIResponse.error(.rateLimitExceeded)
        response.headers = [("Retry-After", "\(retryAt.millisecondsSince1970)")]
        return response
    }

    /// What another method of an address gets.
    static func wrongMethod(_ methods: [String]) -> APIResponse {
        let list = methods.joined(separator: ", ")
        var response = APIResponse.text("Use \(list).\n", status: 405)
        response.headers = [("Allow", list)]
        return response
    }

    /// What an unknown token gets: not an error's document, and a number to name in a question to support.
    static func unauthenticated(_ reason: String) -> APIResponse {
        text("Unauthenticated\n\n\(reason)\n", status: 401)
    }
}
