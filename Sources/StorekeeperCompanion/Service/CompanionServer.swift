import Hummingbird
import HummingbirdCore
import HummingbirdTLS
package import Logging
import NIOCore
package import NIOSSL
import ServiceLifecycle
import Storekeeper
package import StorekeeperPages
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
        /// The idle timeout of a connection.
        package var idleTime: Duration = .seconds(60)

        /// Makes a configuration.
        package init(
            address: ListenAddress = ListenAddress(), tls: TLSConfiguration? = nil, connections: Int = 4096
        ) {
            self.address = address
            self.tls = tls
            self.connections = connections
        }

        /// Returns the URL of the server for a port on which it listens.
        package func url(port: Int) -> String { address.url(scheme: tls == nil ? "http" : "https", port: port) }
    }

    /// The maximum size of a request's head, in bytes; legitimate keys and cursors are much shorter.
    private static let longestHead = 16 << 10
    private static let maximumFields = 100

    private let service: CompanionService
    private let configuration: Configuration
    private let logger: Logger
    private let onRunning: @Sendable (Int) async -> Void

    /// Makes a server.
    ///
    /// - Parameters:
    ///   - service: The service.
    ///   - configuration: The settings of the listener.
    ///   - logger: The logger.
    ///   - onRunning: Called with the port number as soon as the server listens.
    package init(
        _ service: CompanionService, _ configuration: Configuration = Configuration(),
        logger: Logger = Logger(label: "storekeeper.serve", factory: { _ in SwiftLogNoOpLogHandler() }),
        onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
    ) {
        self.service = service
        self.configuration = configuration
        self.logger = logger
        self.onRunning = onRunning
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
    /// - Throws: An error if the server cannot listen.
    package func run() async throws {
        let router = Router(context: ServedContext.self)
        // Without a tracer, the middleware is left out, because it would only slow down each request.
        if !(InstrumentationSystem.tracer is NoOpTracer) { router.add(middleware: TracingMiddleware()) }
        router.add(middleware: ProblemMiddleware())
        service.addRoutes(to: router)
        let plain = HTTPServerBuilder.http1(
            configuration: HTTP1Channel.Configuration(
                additionalChannelHandlers: [ParserProblems()], idleTimeout: TimeAmount(configuration.idleTime),
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: Self.longestHead, maxHeaderListSize: Self.longestHead,
                    maxHeaderFieldCount: Self.maximumFields)))
        let application = Application(
            router: router, server: try tls.map { try .tls(plain, tlsConfiguration: $0) } ?? plain,
            configuration: .init(
                address: .hostname(configuration.address.host, port: configuration.address.port), serverName: nil,
                availableConnectionsDelegate: MaximumAvailableConnections(configuration.connections)),
            onServerRunning: { [onRunning] channel in await onRunning(channel.localAddress?.port ?? 0) },
            logger: logger)
        try await withThrowingTaskGroup(of: Void.self) {
            [pool = service.pool, webhooks = service.webhookSender] group in
            // The pool runs until the last request is completed.
            group.addTask { try await pool.run() }
            if let webhooks { group.addTask { await webhooks.run() } }
            group.addTask { try await application.run() }
            // When one task ends, the other tasks are cancelled.
            _ = try await group.next()
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    /// The TLS configuration with a minimum version of 1.2.
    private var tls: TLSConfiguration? {
        configuration.tls.map { told in
            var tls = told
            if [.tlsv1, .tlsv11].contains(tls.minimumTLSVersion) { tls.minimumTLSVersion = .tlsv12 }
            return tls
        }
    }

    /// Serves until the process receives SIGTERM or SIGINT.
    ///
    /// - Throws: An error if the server cannot listen.
    package func runUntilSignal() async throws {
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [.init(service: self, successTerminationBehavior: .gracefullyShutdownGroup)],
                gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        try await group.run()
    }
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
