import FoundationEssentials

/// An HTTP proxy, whose description does not contain the password.
package struct HTTPProxy: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The host.
    package let host: String
    /// The port.
    package let port: Int
    /// The user name and the password for the proxy, if its URL contains them.
    let credentials: Credentials?

    struct Credentials: Hashable, Sendable {
        let user: String
        let password: String
    }

    /// Parses the value of an environment variable, such as `http://user:password@proxy.example.com:3128`.
    ///
    /// The scheme, the user and the password, and the port are optional.
    ///
    /// - Returns: `nil` if the text is not the URL of an HTTP proxy.
    package init?(_ text: String) {
        guard let parts = URLComponents(string: text.contains("://") ? text : "http://\(text)"),
            parts.scheme?.lowercased() == "http", let host = parts.host, !host.isEmpty, parts.path.count <= 1,
            parts.query == nil
        else { return nil }
        let port = parts.port ?? 80
        guard (1...65_535).contains(port) else { return nil }
        self.host = host.first == "[" ? String(host.dropFirst().dropLast()) : host
        self.port = port
        credentials = parts.user.map { Credentials(user: $0, password: parts.password ?? "") }
    }

    /// The host and the port.
    package var description: String { "\(host):\(port)" }

    package var customMirror: Mirror { Mirror(self, children: ["host": host, "port": port]) }
}

/// The proxies that are configured by environment variables.
///
/// `HTTPS_PROXY` is the proxy for `https`, and `HTTP_PROXY` is the proxy for `http`. `NO_PROXY` lists hosts that are
/// reached directly. Its value is `*` for all hosts, or a list of hosts (`example.com` includes its subdomains),
/// addresses and ranges (`10.0.0.0/8`), each optionally with a port. A variable in lower case takes precedence over the
/// same variable in capitals. Loopback addresses never use a proxy.
package struct HTTPProxies: Sendable {
    /// The proxy for `https`.
    package var https: HTTPProxy?
    /// The proxy for `http`.
    package var http: HTTPProxy?
    /// The hosts that are reached directly, in the syntax of `NO_PROXY`.
    package var exceptions: [String] = []

    /// The error thrown for an environment variable with an invalid value.
    package struct Fault: Error {
        /// The name of the variable.
        package let variable: String
    }

    /// Creates a configuration without proxies.
    package init() {}

    /// Reads the environment variables of a process.
    package init(environment: [String: String]) throws(Fault) {
        func variable(_ name: String) -> (name: String, value: String)? {
            for name in [name.lowercased(), name] {
                if let value = environment[name], !value.isEmpty { return (name, value) }
            }
            return nil
        }
        func proxy(_ name: String) throws(Fault) -> HTTPProxy? {
            guard let (name, value) = variable(name) else { return nil }
            guard let proxy = HTTPProxy(value) else { throw Fault(variable: name) }
            return proxy
        }
        https = try proxy("HTTPS_PROXY")
        http = try proxy("HTTP_PROXY")
        exceptions = variable("NO_PROXY")?.value.split { $0 == "," || $0 == " " }.map(String.init) ?? []
    }

    /// All proxies, without duplicates.
    var all: Set<HTTPProxy> { Set([https, http].compactMap(\.self)) }

    /// Returns the proxy for a URL; `nil` if the URL is reached directly.
    package func proxy(for url: String) -> HTTPProxy? {
        guard let parts = URLComponents(string: url), let host = parts.host?.lowercased() else { return nil }
        let isSecure = parts.scheme?.lowercased() == "https"
        guard let proxy = isSecure ? https : http, !AppStoreServerHost.isLoopback(host) else { return nil }
        let port = parts.port ?? (isSecure ? 443 : 80)
        return exceptions.contains { Self.matches($0.lowercased(), host, port) } ? nil : proxy
    }

    private static func matches(_ exception: String, _ host: String, _ port: Int) -> Bool {
        if exception == "*" { return true }
        var pattern = exception[...]
        // A single colon separates a host from a port; an IPv6 address has several colons.
        if pattern.count(where: { $0 == ":" }) == 1, let colon = pattern.firstIndex(of: ":") {
            guard Int(pattern[pattern.index(after: colon)...]) == port else { return false }
            pattern = pattern[..<colon]
        }
        if let range = IPv4Range(pattern) { return IPv4Range.address(host).map(range.contains) ?? false }
        if pattern.hasPrefix("*.") { pattern = pattern.dropFirst() }
        if pattern.hasPrefix(".") { pattern = pattern.dropFirst() }
        let bare = host.first == "[" ? host.dropFirst().dropLast() : host[...]
        return !pattern.isEmpty && (bare == pattern || bare.hasSuffix(".\(pattern)"))
    }
}

/// A range of IPv4 addresses, such as `10.0.0.0/8`.
private struct IPv4Range {
    let start: UInt32
    let bits: UInt32

    init?(_ text: Substring) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard let first = parts.first, let start = Self.address(first), parts.count < 3 else { return nil }
        guard let bits = parts.count == 2 ? UInt32(parts[1]) : 32, bits <= 32 else { return nil }
        self.start = start
        self.bits = bits
    }

    func contains(_ address: UInt32) -> Bool { bits == 0 || (start ^ address) >> (32 - bits) == 0 }

    static func address(_ text: some StringProtocol) -> UInt32? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var address: UInt32 = 0
        for part in parts {
            guard let byte = UInt8(part) else { return nil }
            address = address << 8 | UInt32(byte)
        }
        return address
    }
}
