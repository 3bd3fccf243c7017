import HTTPTypes
import Hummingbird
import NIOCore
import Storekeeper
import StorekeeperSimulator

extension Response {
    init(_ body: [UInt8], type: String? = nil, status: HTTPResponse.Status = .ok) {
        self.init(status: status, body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
        headers[.contentType] = type
    }

    init(_ text: String, type: String, status: HTTPResponse.Status = .ok) {
        self.init(Array(text.utf8), type: type, status: status)
    }

    /// Returns a JSON document as a response.
    ///
    /// The content type names no character set, because clients compare the content type literally.
    static func json(_ text: JSONText, status: HTTPResponse.Status = .ok, type: String = "application/json") -> Response
    {
        Response(text.bytes(), type: type, status: status)
    }

    /// Returns a JSON document that browsers save as a file.
    static func file(_ bytes: [UInt8], named name: String) -> Response {
        var response = Response(bytes, type: "application/json")
        response.headers[.contentDisposition] = "attachment; filename=\"\(name)\""
        return response
    }

    /// Returns a plain text as a response.
    static func text(_ text: String, status: HTTPResponse.Status) -> Response {
        Response(text, type: "text/plain; charset=utf-8", status: status)
    }

    // MARK: The App Store Server API

    /// Returns an error in the format of the App Store Server API.
    static func error(_ error: APIError) -> Response {
        json(
            .object(["errorCode": .integer(error.code), "errorMessage": .string(error.message)]),
            status: HTTPResponse.Status(code: error.status))
    }

    /// Returns the response to too many requests; its header `Retry-After` is in milliseconds since 1970.
    static func tooManyRequests(retryAt: Instant) -> Response {
        var response = Response.error(.rateLimitExceeded)
        response.headers[.retryAfter] = "\(retryAt.millisecondsSince1970)"
        return response
    }

    /// Returns the response to a refused token, which is plain text instead of an error document.
    static func unauthenticated(_ reason: String) -> Response {
        text("Unauthenticated\n\n\(reason)\n", status: .unauthorized)
    }

    // MARK: Control requests

    /// Returns problem details as a response.
    ///
    /// - SeeAlso: RFC 9457, "Problem Details for HTTP APIs".
    static func problem(_ code: String, _ message: String, status: HTTPResponse.Status) -> Response {
        json(
            ControlProblem(title: code, status: status.code, detail: message).json, status: status,
            type: "application/problem+json")
    }
}

/// The problem details of the refusal of a control request.
struct ControlProblem: JSONShaped {
    let title: String
    let status: Int
    let detail: String

    static let shape = JSONShape<Self>(
        "Problem",
        [
            .member("type") { _ in "about:blank" }, .member("title", "A code that stays the same.") { $0.title },
            .member("status") { $0.status }, .member("detail") { $0.detail },
        ])
}

// MARK: Faults

extension Response {
    /// Creates the error response to a request that a fault rejects; `nil` if the fault does not reject the request.
    ///
    /// - Parameter retryAt: The instant from which a client may retry after too many requests.
    init?(_ fault: SimulatedFault.Effect, at place: SimulatedFault.Place, retryAt: Instant) {
        switch fault {
        case .status(401): self = .unauthenticated("a simulated fault")
        case .status(404):
            // A simulated 404 uses Apple's retryable errors, which mean that the id may exist soon.
            self = .error(
                place == .extension || place == .accountToken
                    ? .originalTransactionIDNotFoundRetryable : .accountNotFoundRetryable)
        case .status(429): self = .tooManyRequests(retryAt: retryAt)
        case .status(500): self = .error(.internalRetryable)
        case .status(let status): self = .text("A simulated fault.\n", status: HTTPResponse.Status(code: status))
        case .code(let code): self = .error(APIError(code, "A simulated fault."))
        default: return nil
        }
    }

    /// Creates the response to a processed request; a fault may truncate or delay the response's body.
    init(_ document: JSONText?, status: HTTPResponse.Status, fault: SimulatedFault.Effect?) {
        let bytes = document?.bytes() ?? []
        let (half, rest) = (bytes.prefix(bytes.count / 2), bytes.dropFirst(bytes.count / 2))
        self.init(bytes, type: document == nil ? nil : "application/json", status: status)
        let delay: Int64?
        switch fault {
        case .halfBody:
            body = ResponseBody(byteBuffer: ByteBuffer(bytes: half))
            return
        case .cutBody: delay = nil
        case .slowBody(let span): delay = span
        default: return
        }
        body = ResponseBody(contentLength: bytes.count) { writer in
            try await writer.write(ByteBuffer(bytes: half))
            guard let delay else { throw TruncatedBody() }
            try await Task.sleep(for: .milliseconds(delay))
            try await writer.write(ByteBuffer(bytes: rest))
            try await writer.finish(nil)
        }
    }

    /// The error that closes a connection in the middle of a response body.
    private struct TruncatedBody: Error {}
}
