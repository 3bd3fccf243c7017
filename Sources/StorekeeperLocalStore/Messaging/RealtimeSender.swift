package import AsyncHTTPClient
import FoundationEssentials
import NIOCore
import NIOHTTP1
import Storekeeper
import StorekeeperSimulator

/// A client that asks an app's server for a retention message.
package protocol RealtimeSender: Sendable {
    /// Sends a request and waits for the response.
    ///
    /// - Parameters:
    ///   - body: `{"signedPayload":"…"}`.
    ///   - url: The URL that the app configured.
    func send(_ body: [UInt8], to url: String) async -> (result: SendAttempt.Result, body: [UInt8])
}

/// A sender that uses HTTP.
package struct HTTPRealtimeSender: RealtimeSender {
    private let client: @Sendable (String) -> HTTPClient
    private let patience: Duration

    /// Creates a sender.
    ///
    /// - Parameters:
    ///   - patience: The time limit of a response, including its body.
    ///   - client: Returns the HTTP client for a URL; the client must not follow redirects by itself.
    package init(patience: Duration = .seconds(5), client: @escaping @Sendable (String) -> HTTPClient) {
        self.client = client
        self.patience = patience
    }

    package func send(_ body: [UInt8], to url: String) async -> (result: SendAttempt.Result, body: [UInt8]) {
        let request = HTTPClientRequest.json(body, to: url)
        do {
            let (status, answer) = try await client(url).send(request, within: patience) { response in
                (response.status.code, try await response.body.collect(upTo: 1 << 20))
            }
            guard status == 200 else { return (.unsuccessfulStatus, []) }
            return (.success, Array(buffer: answer))
        } catch {
            return (HTTPWebhook.result(of: error), [])
        }
    }
}

/// The subscription and the locale of a request for a retention message.
struct RealtimeQuestion: Sendable {
    let originalID: Transaction.ID
    let product: Product.ID
    let locale: String
}

/// The result of a request for a retention message.
struct RealtimeReply: Sendable {
    let result: SendAttempt.Result
    let milliseconds: Int
    /// The response; `nil` if the response is not a JSON object.
    let response: JSONValue?
}
