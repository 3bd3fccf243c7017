import StorekeeperAppStore

/// The address at which a server listens.
package struct ListenAddress: Hashable, Sendable {
    /// A host name or IP address; `127.0.0.1` by default.
    package var host: String
    /// The port; with 0, the system chooses a free port.
    package var port: Int

    /// Creates an address.
    package init(host: String = "127.0.0.1", port: Int = 0) {
        self.host = host
        self.port = port
    }

    /// Whether the address can be reached from this machine only.
    package var isLoopback: Bool { AppStoreServerHost.isLoopback(host) }

    /// The host and the port, such as `127.0.0.1:8080` or `[::1]:8080`.
    package var name: String { name(port: port) }

    /// Returns the URL of a server that listens at this host and at a port.
    package func url(scheme: String = "http", port: Int) -> String { "\(scheme)://\(name(port: port))" }

    private func name(port: Int) -> String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }
}
