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

    /// What an unknown token gets: not an error's document, and a number to name in a question to support.
    static func unauthenticated(_ reason: String) -> APIResponse {
        text("Unauthenticated\n\n\(reason)\n", status: 401)
    }
}
