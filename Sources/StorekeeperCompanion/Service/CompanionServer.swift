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

/// The companion service on a port of this machine, with what keeps its stores up to date.
package struct CompanionServer: Service {
    /// How it listens.
    package struct Configuration: Sendable {
        /// Where.
        package var address: ListenAddress
        /// What encrypts; `nil`: nothing does.
        package var tls: TLSConfiguration?
        /// How many connections there may be; who comes later waits.
        package var connections: Int
        /// How long a connection may be silent.
        package var idleTime: Duration = .seconds(60)

        /// Makes a configuration.
        package init(
            address: ListenAddress = ListenAddress(), tls: TLSConfiguration? = nil, connections: Int = 4096
        ) {
            self.address = address
            self.tls = tls
            self.connections = connections
        }

        /// The address on the web, with the port that was taken.
        package func url(port: Int) -> String { address.url(scheme: tls == nil ? "http" : "https", port: port) }
    }

    /// The longest head of a request, in bytes; keys and cursors are short.
    private static let longestHead = 16 << 10
    private static let mostFields = 100

    private let service: CompanionService
    private let configuration: Configuration
    private let logger: Logger
    private let onRunning: @Sendable (Int) async -> Void

    /// Makes a server.
    ///
    /// - Parameters:
    ///   - service: What answers.
    ///   - configuration: How it listens.
    ///   - logger: Where it says what it does.
    ///   - onRunning: Is told the port once it listens.
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

    /// Says on standard error what it does.
    ///
    /// - Parameter json: Writes a line to standard error, for a log of which each line is a JSON object; `nil`: text.
    package static func standardErrorLogger(
        from level: Logger.Level, json: (@Sendable (String) -> Void)? = nil
    ) -> Logger {
        var logger = Logger(label: "storekeeper") { label -> any LogHandler in
            if let json { return JSONLog(label: label, write: json) }
            return StreamLogHandler.standardError(label: label)
        }
        logger.logLevel = level
        return logger
    }

    /// Does something whenever the process is sent SIGHUP, until the task is cancelled.
    package static func eachHangUp(_ work: @Sendable () async -> Void) async {
        for await _ in await UnixSignalsSequence(trapping: .sighup) { await work() }
    }

    /// Serves until the task is cancelled or a service group shuts it down; what has begun is answered first.
    ///
    /// - Throws: Where it cannot listen.
    package func run() async throws {
        let router = Router(context: CompanionContext.self)
        // Where nobody traces, nobody pays for it.
        if !(InstrumentationSystem.tracer is NoOpTracer) { router.add(middleware: TracingMiddleware()) }
        router.add(middleware: ProblemMiddleware())
        service.addRoutes(to: router)
        let plain = HTTPServerBuilder.http1(
            configuration: HTTP1Channel.Configuration(
                additionalChannelHandlers: [ParserProblems()], idleTimeout: TimeAmount(configuration.idleTime),
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: Self.longestHead, maxHeaderListSize: Self.longestHead,
                    maxHeaderFieldCount: Self.mostFields)))
        let application = Application(
            router: router, server: try tls.map { try .tls(plain, tlsConfiguration: $0) } ?? plain,
            configuration: .init(
                address: .hostname(configuration.address.host, port: configuration.address.port), serverName: nil,
                availableConnectionsDelegate: MaximumAvailableConnections(configuration.connections)),
            onServerRunning: { [onRunning] channel in await onRunning(channel.localAddress?.port ?? 0) },
            logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { [pool = service.pool] group in
            // Until the last request is answered.
            group.addTask { try await pool.run() }
            group.addTask { try await application.run() }
            // Whoever ends first ends the other.
            _ = try await group.next()
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    /// What encrypts, by no older version than 1.2.
    private var tls: TLSConfiguration? {
        configuration.tls.map { told in
            var tls = told
            if [.tlsv1, .tlsv11].contains(tls.minimumTLSVersion) { tls.minimumTLSVersion = .tlsv12 }
            return tls
        }
    }

    /// Serves until the process is told to end by SIGTERM or SIGINT.
    ///
    /// - Throws: Where it cannot listen.
    package func runUntilSignal() async throws {
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [.init(service: self, successTerminationBehavior: .gracefullyShutdownGroup)],
                gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        try await group.run()
    }
}

/// A request to the companion service, with the address that it comes from.
private struct CompanionContext: RequestContext, RemoteAddressRequestContext {
    var coreContext: CoreRequestContextStorage
    let remoteAddress: SocketAddress?

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        remoteAddress = source.channel.remoteAddress
    }
}
