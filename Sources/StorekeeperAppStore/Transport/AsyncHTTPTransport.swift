import AsyncHTTPClient
import FoundationEssentials
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
public import Storekeeper

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Sends requests over HTTP/1.1 or HTTP/2, with TLS if the URL requires it.
///
/// Redirects are not followed, because a token must not be sent to another host. Close a transport when it is no longer
/// used.
public final class AsyncHTTPTransport: HTTPTransport {
    /// Time limits, trusted certificates and proxies.
    public struct Configuration: Sendable {
        /// The time limit of connecting, including TLS.
        public var connectTimeout: Duration
        /// The time limit of a whole request, including its response.
        public var requestTimeout: Duration
        /// The maximum number of HTTP/1.1 connections to a host that are kept open.
        public var connectionsPerHost: Int
        /// Certificates, as PEM, that are trusted in addition to the system's certificates, for example for a local App
        /// Store.
        public var additionalTrustRoots: [String]
        /// Certificates, as PEM, that replace the system's trusted certificates; `nil` trusts the system's
        /// certificates.
        package var trustRoots: String?
        /// Whether the certificate of a server is not checked; use `true` only for a service on this machine.
        package var trustsAnyCertificate = false
        /// The proxies through which requests are sent.
        package var proxies = HTTPProxies()

        /// Creates a configuration.
        public init(
            connectTimeout: Duration = .seconds(10), requestTimeout: Duration = .seconds(30),
            connectionsPerHost: Int = 16, additionalTrustRoots: [String] = []
        ) {
            self.connectTimeout = connectTimeout
            self.requestTimeout = requestTimeout
            self.connectionsPerHost = connectionsPerHost
            self.additionalTrustRoots = additionalTrustRoots
        }
    }

    private let connections: HTTPConnections
    private let requestTimeout: Duration

    /// Creates a transport that opens its own connections when they are needed.
    ///
    /// - Throws: `invalidHost` if a trust root is not a certificate.
    public convenience init(_ configuration: Configuration = Configuration()) throws(AppStoreServerError) {
        self.init(try HTTPConnections(configuration), requestTimeout: configuration.requestTimeout)
    }

    /// Creates a transport that shares connections with other users; closing the transport closes the connections.
    package init(_ connections: HTTPConnections, requestTimeout: Duration = .seconds(30)) {
        self.connections = connections
        self.requestTimeout = requestTimeout
    }

    /// Closes all connections; requests in flight fail.
    public func close() async throws { try await connections.shutdown() }

    /// Sends a request and reads the whole response.
    public func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        var outgoing = HTTPClientRequest(url: request.url)
        outgoing.method = HTTPClientRequest.method(request.method)
        for field in request.fields { outgoing.headers.add(name: field.name, value: field.value) }
        if let body = request.body { outgoing.body = .bytes(body) }
        let end = ContinuousClock.now.advanced(by: requestTimeout)
        do {
            let response = try await connections.client(for: request.url).execute(
                outgoing, timeout: requestTimeout.timeAmount)
            var body: [UInt8] = []
            for try await part in response.body {
                // The HTTP client's deadline covers only the head of the response, and its idle limit restarts with
                // each part of the body. Without this check, a body that arrives byte by byte would never time out.
                guard body.isEmpty || ContinuousClock.now < end else {
                    throw TransportError(.timedOut, "the server did not answer in time")
                }
                guard part.readableBytes <= request.maximumBodySize - body.count else {
                    throw NIOTooManyBytesError(maxBytes: request.maximumBodySize)
                }
                body.append(contentsOf: part.readableBytesView)
            }
            return TransportResponse(
                status: Int(response.status.code),
                fields: response.headers.map { HeaderField($0.name, $0.value) }, body: body)
        } catch let error as TransportError {
            throw error
        } catch {
            throw Self.transportError(error)
        }
    }

    private static func transportError(_ error: any Error) -> TransportError {
        switch error {
        case is CancellationError: return TransportError(.cancelled, "the task was cancelled", cause: error)
        case is NIOTooManyBytesError:
            return TransportError(.responseTooLarge, "the response is longer than the limit", cause: error)
        case let error as NIOConnectionError:
            // The lookup of IPv4 addresses may fail while the lookup of IPv6 addresses succeeds, or the reverse. If the
            // client did not even try to connect, no address was found.
            guard error.connectionErrors.isEmpty, error.dnsAError != nil || error.dnsAAAAError != nil else {
                return TransportError(.notConnected, "no connection to the server", cause: error)
            }
            return TransportError(.hostNotFound, "the host '\(error.host)' has no address", cause: error)
        case NIOSSLError.handshakeFailed(let reason) where isWithoutTLS(reason):
            return TransportError(.noTLS, "the server does not answer with TLS on this port", cause: error)
        case NIOSSLError.handshakeFailed(let reason):
            return TransportError(.tlsFailed, "TLS with the server failed: \(Self.words(of: reason))", cause: error)
        case is NIOSSLExtraError:
            return TransportError(
                .tlsFailed, "TLS with the server failed: its certificate is for another host", cause: error)
        case let error as HTTPClientError: return transportError(error)
        // These system errors mean that no connection could be opened, so nothing was sent. A connection that breaks
        // after it was opened causes other errors.
        case let error as IOError where refusals.contains(error.errnoCode):
            return TransportError(.notConnected, "no connection to the server", cause: error)
        default: return TransportError(.connectionLost, "the connection failed", cause: error)
        }
    }

    /// Returns a description of an error of BoringSSL, without the locations in BoringSSL's source code.
    private static func words(of error: BoringSSLError) -> String {
        let text = "\(error)"
        if text.contains("CERTIFICATE_VERIFY_FAILED") { return "its certificate is not trusted" }
        if text.contains("PROTOCOL_VERSION") || text.contains("UNSUPPORTED_PROTOCOL") {
            return "the server does not support TLS 1.2"
        }
        return "the handshake failed"
    }

    /// Returns whether a server answered the handshake with another protocol, or closed the connection instead.
    private static func isWithoutTLS(_ error: BoringSSLError) -> Bool {
        if case .sslError(let errors) = error, errors.contains(.eofDuringHandshake) { return true }
        let text = "\(error)"
        return text.contains("WRONG_VERSION_NUMBER") || text.contains("HTTP_REQUEST")
    }

    private static let refusals: Set<CInt> = [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, ENETDOWN]

    private static func transportError(_ error: HTTPClientError) -> TransportError {
        switch error {
        case .cancelled: TransportError(.cancelled, "the task was cancelled", cause: error)
        case .connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout, .alreadyShutdown:
            TransportError(.notConnected, "no connection to the server (\(error.shortDescription))", cause: error)
        case .invalidProxyResponse, .proxyAuthenticationRequired:
            TransportError(
                .notConnected, "the proxy cannot connect to the server (\(error.shortDescription))", cause: error)
        case .readTimeout, .writeTimeout, .deadlineExceeded:
            TransportError(.timedOut, "the server did not answer in time", cause: error)
        default:
            TransportError(.connectionLost, "the connection failed (\(error.shortDescription))", cause: error)
        }
    }
}

extension HTTPClientRequest {
    fileprivate static func method(_ method: StorekeeperAppStore.HTTPMethod) -> NIOHTTP1.HTTPMethod {
        switch method {
        case .get: .GET
        case .post: .POST
        case .put: .PUT
        case .delete: .DELETE
        }
    }
}
