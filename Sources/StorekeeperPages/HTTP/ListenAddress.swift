import StorekeeperAppStore

/// Where a server listens.
package struct ListenAddress: Hashable, Sendable {
    /// A name or a number; `127.0.0.1` unless said otherwise.
    package var host: String
    /// A port; 0 takes a free one.
    package var port: Int

    /// Makes an address.
    package init(host: String = "127.0.0.1", port: Int = 0) {
        self.host = host
        self.port = port
    }

    /// Whether only this machine can reach it.
    package var isLoopback: Bool { AppStoreServerHost.isLoopback(host) }

    /// The address and the port, such as `127.0.0.1:8080` or `[::1]:8080`.
    package var name: String { name(port: port) }

    /// The address on the web, with the port that was taken.
    package func url(scheme: String = "http", port: Int) -> String { "\(scheme)://\(name(port: port))" }

    private func name(port: Int) -> String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }
}
