package import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import Storekeeper

/// A receiver of notifications.
package protocol Webhook: Sendable {
    /// Sends a notification and waits for the response.
    ///
    /// - Parameter body: `{"signedPayload":"…"}`.
    func send(_ body: [UInt8]) async -> WebhookResponse
}

/// A receiver of notifications at a URL.
///
/// - SeeAlso: Apple, "App Store Server Notifications: Responding to App Store Server Notifications".
package struct HTTPWebhook: Webhook {
    private let url: String
    private let client: HTTPClient
    private let patience: Duration

    /// Creates a webhook.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - client: The HTTP client, which must not follow redirects by itself.
    ///   - patience: The time limit of a response, including its body.
    package init(url: String, client: HTTPClient, patience: Duration = .seconds(5)) {
        self.url = url
        self.client = client
        self.patience = patience
    }

    package func send(_ body: [UInt8]) async -> WebhookResponse {
        let request = HTTPClientRequest.json(body, to: url)
        let start = ContinuousClock.now
        do {
            let (status, text) = try await client.send(request, within: patience) { response in
                // The body must be read completely before the connection can be reused.
                var beginning: [UInt8] = []
                for try await part in response.body {
                    beginning += part.readableBytesView.prefix(Self.shownSize - beginning.count)
                }
                return (Int(response.status.code), String(decoding: beginning, as: UTF8.self))
            }
            var response = WebhookResponse((200...206).contains(status) ? .success : .unsuccessfulStatus)
            (response.status, response.body) = (status, text)
            response.milliseconds = Int((ContinuousClock.now - start) / .milliseconds(1))
            return response
        } catch {
            return WebhookResponse(Self.result(of: error))
        }
    }

    /// The number of bytes of a response's body that are kept.
    private static let shownSize = 500

    /// Returns the result of a request that had no complete response.
    static func result(of error: any Error) -> SendAttempt.Result {
        switch error {
        case let error as HTTPClientError: result(of: error)
        case let error as StoreError where error.code == .deadlineExceeded: .timedOut
        case is ChannelError: .socketIssue
        case is HTTPParserError, is NIOTooManyBytesError: .invalidResponse
        default: "\(error)".contains("TLS") || "\(error)".contains("SSL") ? .tlsIssue : .noResponse
        }
    }

    private static func result(of error: HTTPClientError) -> SendAttempt.Result {
        switch error {
        case .deadlineExceeded, .readTimeout, .writeTimeout, .connectTimeout: .timedOut
        case .redirectCycleDetected, .redirectLimitReached: .circularRedirect
        case .remoteConnectionClosed: .prematureClose
        case .tlsHandshakeTimeout: .tlsIssue
        case .invalidProxyResponse, .bodyLengthMismatch, .uncleanShutdown: .invalidResponse
        default: .other
        }
    }
}

extension HTTPClient {
    /// Sends a request and reads the whole response within a time limit.
    ///
    /// The client's own timeout is not sufficient, because it covers only the head of the response.
    func send<Answer: Sendable>(
        _ request: HTTPClientRequest, within patience: Duration,
        _ read: @escaping @Sendable (HTTPClientResponse) async throws -> Answer
    ) async throws -> Answer {
        try await WallClock().within(patience) { try await read(self.execute(request, timeout: .hours(1))) }
    }
}

extension HTTPClientRequest {
    /// Returns a request that posts JSON.
    static func json(_ body: [UInt8], to url: String) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers.add(name: "content-type", value: "application/json")
        request.body = .bytes(body)
        return request
    }
}
