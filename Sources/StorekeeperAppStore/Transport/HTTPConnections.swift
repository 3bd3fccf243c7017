package import AsyncHTTPClient
import NIOCore
import NIOSSL

/// The HTTP connections that all clients in a process share, with their proxies and trusted certificates.
///
/// Redirects are not followed. Shut the connections down when they are no longer used.
package final class HTTPConnections: Sendable {
    private let proxies: HTTPProxies
    private let direct: HTTPClient
    private let proxied: [HTTPProxy: HTTPClient]

    /// Creates the HTTP clients; a connection is opened when a request first needs it.
    ///
    /// - Throws: `invalidHost` if a trust root is not a certificate.
    package init(_ configuration: AsyncHTTPTransport.Configuration) throws(AppStoreServerError) {
        let tls = try Self.tls(configuration)
        var settings = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow,
            timeout: HTTPClient.Configuration.Timeout(
                connect: configuration.connectTimeout.timeAmount, read: configuration.requestTimeout.timeAmount),
            decompression: .disabled)
        settings.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = max(1, configuration.connectionsPerHost)
        // The caller decides about retries, because only the caller can tell whether a request may be repeated.
        settings.connectionPool.retryConnectionEstablishment = false
        // The App Store client has one span for each call; the HTTP client would add a span for each attempt.
        settings.tracing.tracer = nil
        proxies = configuration.proxies
        direct = HTTPClient(eventLoopGroupProvider: .singleton, configuration: settings)
        var proxied: [HTTPProxy: HTTPClient] = [:]
        for proxy in proxies.all {
            settings.proxy = .server(
                host: proxy.host, port: proxy.port,
                authorization: proxy.credentials.map { .basic(username: $0.user, password: $0.password) })
            proxied[proxy] = HTTPClient(eventLoopGroupProvider: .singleton, configuration: settings)
        }
        self.proxied = proxied
    }

    /// Returns the HTTP client for a URL, with the proxy for the URL, if any.
    package func client(for url: String) -> HTTPClient {
        proxies.proxy(for: url).flatMap { proxied[$0] } ?? direct
    }

    /// Closes all connections; requests in flight fail.
    package func shutdown() async throws {
        for client in proxied.values { try await client.shutdown() }
        try await direct.shutdown()
    }

    private static func tls(
        _ settings: AsyncHTTPTransport.Configuration
    ) throws(AppStoreServerError) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        if settings.trustsAnyCertificate { configuration.certificateVerification = .none }
        do {
            configuration.additionalTrustRoots = try settings.additionalTrustRoots.map {
                .certificates(try NIOSSLCertificate.fromPEMBytes(Array($0.utf8)))
            }
            if let roots = settings.trustRoots {
                configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Array(roots.utf8)))
            }
        } catch {
            throw AppStoreServerError(
                .invalidHost, "a trust root is not a certificate in PEM; give a BEGIN CERTIFICATE block",
                cause: error)
        }
        return configuration
    }
}

extension Duration {
    /// The duration as NIO's `TimeAmount`, limited to one day, which is longer than every time limit.
    var timeAmount: TimeAmount {
        let (seconds, attoseconds) = components
        return .milliseconds(min(max(seconds, 0), 86_400) * 1000 + max(attoseconds, 0) / 1_000_000_000_000_000)
    }
}
