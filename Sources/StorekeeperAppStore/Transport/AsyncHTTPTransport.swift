import AsyncHTTPClient
import FoundationEssentials
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Carries requests over HTTP/1.1 or HTTP/2, with TLS where the URL says so.
///
/// Follows no redirect: a token must not go to another host. Must be closed when it is no longer used.
public final class AsyncHTTPTransport: HTTPTransport {
    /// How long things may take, and whom to trust.
    public struct Configuration: Sendable {
        /// How long a connection may take, with TLS.
        public var connectTimeout: Duration
        /// How long a whole request may take, with its answer.
        public var requestTimeout: Duration
        /// How many connections are kept to a host.
        public var connectionsPerHost: Int
        /// Certificates, as PEM, that are trusted beside those of the system, such as that of a local App Store.
        public var additionalTrustRoots: [String]

        /// Makes a configuration.
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

    private let client: HTTPClient
    private let timeout: TimeAmount

    /// Makes a transport without connections.
    ///
    /// - Throws: `invalidHost` where a trust root is no certificate.
    public init(_ configuration: Configuration = Configuration()) throws(AppStoreServerError) {
        var settings = HTTPClient.Configuration(
            tlsConfiguration: try Self.tls(trusting: configuration.additionalTrustRoots),
            redirectConfiguration: .disallow,
            timeout: HTTPClient.Configuration.Timeout(
                connect: Self.amount(configuration.connectTimeout), read: Self.amount(configuration.requestTimeout)),
            decompression: .disabled)
        settings.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = max(1, configuration.connectionsPerHost)
        // Whether to try again is decided where it is known what the request does.
        settings.connectionPool.retryConnectionEstablishment = false
        // Spans are made a call, not an attempt.
        settings.tracing.tracer = nil
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: settings)
        timeout = Self.amount(configuration.requestTimeout)
    }

    /// Closes all connections; requests under way fail.
    public func close() async throws { try await client.shutdown() }

    /// Sends a request and reads the whole answer.
    public func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        var outgoing = HTTPClientRequest(url: request.url)
        outgoing.method = HTTPClientRequest.method(request.method)
        for field in request.fields { outgoing.headers.add(name: field.name, value: field.value) }
        if let body = request.body { outgoing.body = .bytes(body) }
        do {
            let response = try await client.execute(outgoing, timeout: timeout)
            let body = try await response.body.collect(upTo: request.maximumBodySize)
            return TransportResponse(
                status: Int(response.status.code),
                fields: response.headers.map { HeaderField($0.name, $0.value) }, body: Array(body.readableBytesView))
        } catch {
            throw Self.transportError(error)
        }
    }

    private static func amount(_ duration: Duration) -> TimeAmount {
        let (seconds, attoseconds) = duration.components
        // A day is longer than anybody waits.
        return .milliseconds(min(max(seconds, 0), 86_400) * 1000 + max(attoseconds, 0) / 1_000_000_000_000_000)
    }

    private static func tls(trusting pems: [String]) throws(AppStoreServerError) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        do {
            configuration.additionalTrustRoots = try pems.map {
                .certificates(try NIOSSLCertificate.fromPEMBytes(Array($0.utf8)))
            }
        } catch {
            throw AppStoreServerError(
                .invalidHost, "an additional trust root is no certificate in PEM; give a BEGIN CERTIFICATE block",
                cause: error)
        }
        return configuration
    }

    private static func transportError(_ error: any Error) -> TransportError {
        switch error {
        case is CancellationError: return TransportError(.cancelled, "the task was cancelled", cause: error)
        case is NIOTooManyBytesError:
            return TransportError(.responseTooLarge, "the answer is longer than is read", cause: error)
        case is NIOConnectionError, is NIOSSLError:
            return TransportError(.notConnected, "no connection to the server", cause: error)
        case let error as HTTPClientError: return transportError(error)
        // What the system says of an address at which nobody listens, or to which no way leads; a connection that was
        // there is reset, not refused.
        case let error as IOError where refusals.contains(error.errnoCode):
            return TransportError(.notConnected, "no connection to the server", cause: error)
        default: return TransportError(.connectionLost, "the connection failed", cause: error)
        }
    }

    private static let refusals: Set<CInt> = [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, ENETDOWN]

    private static func transportError(_ error: HTTPClientError) -> TransportError {
        switch error {
        case .cancelled: TransportError(.cancelled, "the task was cancelled", cause: error)
        case .connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout, .alreadyShutdown:
            TransportError(.notConnected, "no connection to the server (\(error.shortDescription))", cause: error)
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
        }
    }
}
