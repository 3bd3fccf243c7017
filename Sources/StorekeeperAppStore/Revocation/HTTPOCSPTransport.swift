public import AsyncHTTPClient
import NIOCore
import NIOHTTP1
public import StorekeeperJWS

/// Sends OCSP requests over HTTP.
///
/// It posts the request as `application/ocsp-request` and accepts only responses of status 200. The checker sets the
/// time limit and cancels slower requests. The client should not follow redirects: the certificate names the
/// responder's address.
///
/// - SeeAlso: RFC 6960, appendix A.1, "Request".
public struct HTTPOCSPTransport: OCSPTransport {
    private let client: @Sendable (String) -> HTTPClient
    /// The upper limit of one exchange, independent of the checker, so that a connection does not stay open forever.
    private static let deadline = TimeAmount.seconds(60)

    /// Creates a transport.
    ///
    /// - Parameter client: The HTTP client; its creator shuts it down.
    public init(client: HTTPClient) { self.client = { _ in client } }

    /// Creates a transport on shared connections, which their owner shuts down.
    package init(_ connections: HTTPConnections) { client = { connections.client(for: $0) } }

    /// Posts a request and returns the body of the response.
    ///
    /// - Throws: ``/StorekeeperJWS/OCSPError`` with `unreachable` for another status than 200 and `tooLarge` for a body
    ///   above the limit; errors of the client.
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
