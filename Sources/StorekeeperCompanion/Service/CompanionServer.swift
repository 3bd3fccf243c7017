import Hummingbird
import HummingbirdCore
import HummingbirdTLS
package import Logging
import NIOCore
package import NIOSSL
import ServiceLifecycle
import Storekeeper
package import StorekeeperPages
import Synchronization
import Tracing
import UnixSignals

/// The companion service on a port of this machine, together with the pool that updates the customers' stores.
package struct CompanionServer: Service {
    /// The settings of the listener.
    package struct Configuration: Sendable {
        /// The address to listen on.
        package var address: ListenAddress
        /// The TLS configuration; `nil` for plain HTTP.
        package var tls: TLSConfiguration?
        /// The maximum number of connections; further connections wait.
        package var connections: Int
        /// Whether one IP address may have only a part of the connections; `false` behind a proxy.
        package var limitsAddresses = false
        /// The port of a second listener at the same host, which serves only health and metrics, so that no client of
        /// the other routes can take its connections; `nil` for none.
        package var healthPort: Int?
        /// The idle timeout of a connection.
        package var idleTime: Duration = .seconds(60)
        /// The time limit for the head of a connection's first request.
        package var headTime: Duration = .seconds(10)
        /// The time limit for the body of a request, after which the connection is closed; longer than the time after
        /// which the request is refused.
        package var bodyTime: Duration = .seconds(25)

        /// Makes a configuration.
        package init(
            address: ListenAddress = ListenAddress(), tls: TLSConfiguration? = nil, connections: Int = 4096
        ) {
            self.address = address
            self.tls = tls
            self.connections = connections
        }

        /// Returns the maximum number of connections of one IP address: an eighth of all, but at least 16.
        static func connectionsPerAddress(of connections: Int) -> Int { max(connections / 8, 16) }

        /// Returns the URL of the server for a port on which it listens.
        package func url(port: Int) -> String { address.url(scheme: tls == nil ? "http" : "https", port: port) }
    }

    /// The maximum size of a request's head, in bytes; legitimate keys and cursors are much shorter.
    private static let longestHead = 16 << 10
    private static let maximumFields = 100
    private static let healthConnections = 256

    private let service: CompanionService
    private let configuration: Configuration
    private let logger: Logger
    private let onRunning: @Sendable (Int) async -> Void
    private let onHealthRunning: @Sendable (Int) async -> Void

    /// Makes a server.
    ///
    /// - Parameters:
    ///   - service: The service.
    ///   - configuration: The settings of the listener.
    ///   - logger: The logger.
    ///   - onRunning: Called with the port number as soon as the server listens.
    ///   - onHealthRunning: Called with the port number as soon as the listener for health and metrics listens.
    package init(
        _ service: CompanionService, _ configuration: Configuration = Configuration(),
        logger: Logger = Logger(label: "storekeeper.serve", factory: { _ in SwiftLogNoOpLogHandler() }),
        onRunning: @escaping @Sendable (Int) async -> Void = { _ in },
        onHealthRunning: @escaping @Sendable (Int) async -> Void = { _ in }
    ) {
        self.service = service
        self.configuration = configuration
        self.logger = logger
        self.onRunning = onRunning
        self.onHealthRunning = onHealthRunning
    }

    /// Makes a logger on standard error or standard output.
    ///
    /// - Parameters:
    ///   - toOutput: Whether a text log is written to standard output instead of standard error.
    ///   - json: Writes one line of a log of JSON objects; `nil` for a text log.
    package static func logger(
        from level: Logger.Level, toOutput: Bool, json: (@Sendable (String) -> Void)? = nil
    ) -> Logger {
        var logger = Logger(label: "storekeeper") { label -> any LogHandler in
            if let json { return JSONLog(label: label, write: json) }
            return toOutput
                ? StreamLogHandler.standardOutput(label: label) : StreamLogHandler.standardError(label: label)
        }
        logger.logLevel = level
        return logger
    }

    /// Calls a function each time the process receives SIGHUP, until the task is cancelled.
    package static func forEachHangUp(_ work: @Sendable () async -> Void) async {
        for await _ in await UnixSignalsSequence(trapping: .sighup) { await work() }
    }

    /// Serves until the task is cancelled or a service group shuts it down; requests in progress are completed.
    ///
    /// - Throws: An error if the server cannot listen; ``HealthListenerFault`` if this concerns the second listener.
    package func run() async throws {
        let application = try self.application(
            CompanionRoute.all, at: configuration.address.port, connections: configuration.connections, onRunning)
        let health = try configuration.healthPort.map {
            try self.application(
                CompanionRoute.monitoring, at: $0, connections: Self.healthConnections, onHealthRunning)
        }
        try await withThrowingTaskGroup(of: Void.self) {
            [pool = service.pool, webhooks = service.configuration.webhooks] group in
            // The pool runs until the last request is completed.
            group.addTask { try await pool.run() }
            if let webhooks { group.addTask { await webhooks.run() } }
            group.addTask {
                // A listener that has shut down must not end the requests of the other one.
                try await withThrowingTaskGroup(of: Void.self) { listeners in
                    listeners.addTask { try await application.run() }
                    if let health {
                        listeners.addTask {
                            do {
                                try await health.run()
                            } catch let error where !(error is CancellationError) {
                                throw HealthListenerFault(cause: error)
                            }
                        }
                    }
                    // `waitForAll()` would first wait for the other listener. An error that leaves the group ends it.
                    while try await listeners.next() != nil {}
                }
            }
            // When one task ends, the other tasks are cancelled.
            _ = try await group.next()
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    /// Returns a listener for routes, with connections of its own.
    private func application(
        _ routes: [CompanionRoute], at port: Int, connections: Int,
        _ onRunning: @escaping @Sendable (Int) async -> Void
    ) throws -> some Service {
        let router = Router(context: ServedContext.self)
        // Without a tracer, the middleware is left out, because it would only slow down each request.
        if !(InstrumentationSystem.tracer is NoOpTracer) { router.add(middleware: TracingMiddleware()) }
        // A browser would apply the header to every server of this machine, including those without TLS.
        if tls != nil, !configuration.address.isLoopback { router.add(middleware: StrictTransportSecurity()) }
        router.add(middleware: ProblemMiddleware())
        service.add(routes, to: router)
        let addresses =
            configuration.limitsAddresses
            ? AddressConnections(limit: Configuration.connectionsPerAddress(of: connections)) : nil
        let (headTime, bodyTime) = (TimeAmount(configuration.headTime), TimeAmount(configuration.bodyTime))
        let plain = HTTPServerBuilder.http1(
            configuration: HTTP1Channel.Configuration(
                additionalChannelHandlers: [
                    ConnectionGuard(headTime: headTime, bodyTime: bodyTime, addresses), ParserProblems(),
                ],
                idleTimeout: TimeAmount(configuration.idleTime),
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: Self.longestHead, maxHeaderListSize: Self.longestHead,
                    maxHeaderFieldCount: Self.maximumFields)))
        return Application(
            router: router, server: try tls.map { try .tls(plain, tlsConfiguration: $0) } ?? plain,
            configuration: .init(
                address: .hostname(configuration.address.host, port: port), serverName: nil,
                availableConnectionsDelegate: MaximumAvailableConnections(connections)),
            onServerRunning: { channel in await onRunning(channel.localAddress?.port ?? 0) },
            logger: logger)
    }

    /// The TLS configuration with a minimum version of 1.2, and only with forward secrecy.
    private var tls: TLSConfiguration? {
        configuration.tls.map { told in
            var tls = told
            if [.tlsv1, .tlsv11].contains(tls.minimumTLSVersion) { tls.minimumTLSVersion = .tlsv12 }
            tls.cipherSuiteValues = Self.cipherSuites
            return tls
        }
    }

    /// The cipher suites of TLS 1.2, whose keys are lost with the connection; TLS 1.3 has only such suites.
    ///
    /// - SeeAlso: RFC 9325, "Recommendations for Secure Use of TLS and DTLS", 4.2.
    static let cipherSuites: [NIOTLSCipher] = [
        .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
        .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
        .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
    ]

    /// Serves until the process receives SIGTERM or SIGINT.
    ///
    /// - Parameters:
    ///   - limit: The time for completing requests in progress after the signal.
    ///   - abandon: Called after this time. It must end the process, because a call to a database that hangs cannot be
    ///     cancelled.
    /// - Throws: An error if the server cannot listen.
    package func runUntilSignal(
        within limit: Duration, orElse abandon: @escaping @Sendable () -> Void
    ) async throws {
        let server = LimitedShutdown(server: self, limit: limit, abandon: abandon)
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [.init(service: server, successTerminationBehavior: .gracefullyShutdownGroup)],
                gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        try await group.run()
    }
}

/// A server whose shutdown has a time limit.
private struct LimitedShutdown: Service {
    let server: CompanionServer
    let limit: Duration
    /// Called if the server has not ended within the limit.
    let abandon: @Sendable () -> Void

    func run() async throws {
        let timer = Mutex<Task<Void, Never>?>(nil)
        defer { timer.withLock { $0 }?.cancel() }
        try await withGracefulShutdownHandler {
            try await server.run()
        } onGracefulShutdown: {
            let task = Task {
                try? await Task.sleep(for: limit)
                if !Task.isCancelled { abandon() }
            }
            timer.withLock { $0 = task }
        }
    }
}

/// The listener for health and metrics has failed.
package struct HealthListenerFault: Error {
    /// The error of the listener.
    package let cause: any Error
}

/// The context of a request, with the client's address.
private struct ServedContext: RequestContext, RemoteAddressRequestContext {
    var coreContext: CoreRequestContextStorage
    let remoteAddress: SocketAddress?

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        remoteAddress = source.channel.remoteAddress
    }
}
