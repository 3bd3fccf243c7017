public import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import Storekeeper
public import StorekeeperJWS

/// Sends OCSP requests over HTTP.
///
/// A transport posts a request as `application/ocsp-request`, and accepts only a response with the status 200. The
/// revocation checker sets a time limit and cancels slower requests. The HTTP client should not follow redirects,
/// because the response must come from the URL in the certificate.
///
/// - SeeAlso: RFC 6960, appendix A.1, "Request".
public struct HTTPOCSPTransport: OCSPTransport {
    private let client: @Sendable (String) -> HTTPClient
    /// The time limit of one request, independent of the checker's limit, so that no connection stays open forever.
    private static let deadline = TimeAmount.seconds(60)

    /// Creates a transport.
    ///
    /// - Parameter client: The HTTP client, which the caller must shut down.
    public init(client: HTTPClient) { self.client = { _ in client } }

    /// Creates a transport that uses shared connections, which the caller must shut down.
    package init(_ connections: HTTPConnections) { client = { connections.client(for: $0) } }

    /// Posts a request and returns the body of the response.
    ///
    /// - Throws: ``/StorekeeperJWS/OCSPError`` with `unreachable` for a status other than 200, and with `tooLarge` for
    ///   a body above the limit; errors of the HTTP client.
    public func response(to request: [UInt8], at url: String, sizeLimit: Int) async throws -> [UInt8] {
        var post = HTTPClientRequest(url: url)
        post.method = .POST
        post.headers = ["Content-Type": "application/ocsp-request", "Accept": "application/ocsp-response"]
        post.body = .bytes(ByteBuffer(bytes: request))
        let response = try await client(url).execute(post, timeout: Self.deadline)
        guard response.status == .ok else {
            throw OCSPError(.unreachable, "the responder answered with the HTTP status \(response.status.code)")
        }
        var body: [UInt8] = []
        for try await part in response.body {
            guard part.readableBytes <= sizeLimit - body.count else {
                throw OCSPError(.tooLarge, "the response has more than \(sizeLimit) bytes")
            }
            body.append(contentsOf: part.readableBytesView)
        }
        return body
    }
}
