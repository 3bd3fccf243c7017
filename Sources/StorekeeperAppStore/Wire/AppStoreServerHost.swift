import FoundationEssentials
public import Storekeeper

/// A server that implements the App Store Server API, with the environment for which it answers.
///
/// - SeeAlso: Apple, "App Store Server API".
public struct AppStoreServerHost: Hashable, Sendable, CustomStringConvertible {
    /// The environment of the server's transactions.
    public let environment: AppStore.Environment
    /// The scheme, the host, the port and, for a custom server, a path, without a trailing slash.
    public let baseURL: String

    /// The production server of the App Store.
    public static let production = AppStoreServerHost(
        environment: .production, unchecked: "https://api.storekit.apple.com")
    /// Apple's sandbox.
    public static let sandbox = AppStoreServerHost(
        environment: .sandbox, unchecked: "https://api.storekit-sandbox.apple.com")

    private init(environment: AppStore.Environment, unchecked baseURL: String) {
        self.environment = environment
        self.baseURL = baseURL
    }

    /// Creates a custom server, such as a local App Store, from its base URL.
    ///
    /// - Parameters:
    ///   - baseURL: A URL without user, query and fragment. Its scheme is `https`; `http` is accepted only for this
    ///     machine (`localhost`, `127.0.0.0/8`, `::1`).
    ///   - environment: The environment of the server's transactions, which each response must name.
    /// - Throws: `invalidHost` if the URL is not of this form.
    public init(baseURL: String, environment: AppStore.Environment) throws(AppStoreServerError) {
        guard let parts = URLComponents(string: baseURL), let host = parts.host, !host.isEmpty else {
            throw Self.refusal(baseURL, "it contains no host")
        }
        guard parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil else {
            throw AppStoreServerError(
                .invalidHost, "the base URL contains a user, a query or a fragment; remove them")
        }
        switch parts.scheme?.lowercased() {
        case "https": break
        case "http":
            guard Self.isLoopback(host) else {
                throw Self.refusal(
                    baseURL, "tokens must not be sent unencrypted; use https, or a server on this machine")
            }
        default: throw Self.refusal(baseURL, "its scheme is neither https nor http")
        }
        self.environment = environment
        var text = Substring(baseURL)
        while text.last == "/" { text.removeLast() }
        self.baseURL = String(text)
    }

    /// The environment and the base URL.
    public var description: String { "\(environment.rawValue) at \(baseURL)" }

    private static func refusal(_ text: String, _ reason: String) -> AppStoreServerError {
        AppStoreServerError(.invalidHost, "the base URL \"\(text)\" is not accepted: \(reason)")
    }

    /// Returns whether a host is this machine: `localhost`, `127.0.0.0/8` or `::1`.
    ///
    /// A name such as `127.0.0.example.com` does not count as this machine, because the name can resolve to any
    /// address.
    package static func isLoopback(_ host: String) -> Bool {
        let host = host.lowercased()
        if host == "localhost" || host == "::1" || host == "[::1]" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.first == "127" && parts.allSatisfy(isByte)
    }
    /// Returns whether a part of an IPv4 address is a number of one to three digits, at most 255.
    private static func isByte(_ part: Substring) -> Bool {
        (1...3).contains(part.utf8.count)
            && part.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            && UInt8(part) != nil
    }
}
