import Hummingbird
package import Logging
import ServiceLifecycle
package import StorekeeperPages
import UnixSignals

/// A local App Store that listens on a port of this machine.
package struct LocalAppStoreServer: Service {
    private let local: LocalAppStore
    private let address: ListenAddress
    private let logger: Logger
    private let onRunning: @Sendable (Int) async -> Void

    /// Creates a server.
    ///
    /// - Parameters:
    ///   - local: The local App Store to serve.
    ///   - address: The address to listen at.
    ///   - logger: The logger.
    ///   - onRunning: Called with the port when the server listens.
    package init(
        _ local: LocalAppStore, at address: ListenAddress = ListenAddress(),
        logger: Logger = Logger(label: "storekeeper.serve", factory: { _ in SwiftLogNoOpLogHandler() }),
        onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
    ) {
        self.local = local
        self.address = address
        self.logger = logger
        self.onRunning = onRunning
    }

    /// Serves until the task is cancelled or a service group shuts it down.
    ///
    /// - Throws: An error if the server cannot listen; an error of the cryptographic library.
    package func run() async throws {
        let application = Application(
            responder: LocalStoreRouter(local: local, isLoopback: address.isLoopback).responder(),
            configuration: .init(address: .hostname(address.host, port: address.port), serverName: nil),
            onServerRunning: { [onRunning] channel in await onRunning(channel.localAddress?.port ?? 0) },
            logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await cancelWhenGracefulShutdown { try await local.run() } }
            group.addTask { try await application.run() }
            // When one task ends, the other task is cancelled.
            _ = try await group.next()
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    /// Serves until the task is cancelled or the process receives SIGTERM or SIGINT; requests in progress are
    /// completed.
    ///
    /// - Throws: An error if the server cannot listen; an error of the cryptographic library.
    package func runUntilSignal() async throws {
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [.init(service: self, successTerminationBehavior: .gracefullyShutdownGroup)],
                gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        try await group.run()
    }
}
