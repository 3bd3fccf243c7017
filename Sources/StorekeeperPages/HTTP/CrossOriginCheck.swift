package import HTTPTypes
import Storekeeper
import StorekeeperAppStore

/// Protects a local server against requests from foreign pages in a browser.
///
/// A foreign page can send requests to this server, but the browser restricts the requests. The foreign page cannot
/// hide its origin, send JSON without a preflight request, or read this server's pages and form tokens. A foreign page
/// that reaches this server by DNS rebinding sends its own host name instead of this server's host name.
package struct CrossOriginCheck: Sendable {
    /// The reason why a request is refused.
    package enum Refusal: Hashable, Sendable {
        /// The request names another host, as in DNS rebinding.
        case foreignHost
        /// The request comes from a foreign page.
        case foreignOrigin
    }

    /// Whether only this machine can reach the server.
    let isLoopback: Bool

    /// Creates the check for a server.
    package init(isLoopback: Bool) { self.isLoopback = isLoopback }

    /// Returns the reason to refuse a request because of its host; `nil` if the host is allowed.
    ///
    /// If only this machine can reach the server, the request must name this machine.
    ///
    /// - Parameter authority: The host and port in the request.
    package func refusal(authority: String?) -> Refusal? {
        let host = (authority ?? "").utf8
        let name =
            host.first == UInt8(ascii: "[")
            ? host.dropFirst().prefix { $0 != UInt8(ascii: "]") } : host.prefix { $0 != UInt8(ascii: ":") }
        return isLoopback && !AppStoreServerHost.isLoopback(String(Substring(name))) ? .foreignHost : nil
    }

    /// Returns the reason to refuse a request, sent by a form or script, that changes data; `nil` if the request is
    /// allowed.
    ///
    /// The host must be allowed. A browser also sends the origin of a form, which must be this server. A client other
    /// than a browser may send no origin.
    ///
    /// - SeeAlso: W3C, "Fetch Metadata Request Headers".
    package func refusal(ofFormAt authority: String?, headers: HTTPFields) -> Refusal? {
        if let refusal = refusal(authority: authority) { return refusal }
        if let site = headers[.secFetchSite], site != "same-origin", site != "none" { return .foreignOrigin }
        guard let origin = headers[.origin] else { return nil }
        guard let authority else { return .foreignOrigin }
        let isOwn = ["http", "https"].contains { "\($0)://\(authority)".hasSameBytes(as: origin) }
        return isOwn ? nil : .foreignOrigin
    }
}
