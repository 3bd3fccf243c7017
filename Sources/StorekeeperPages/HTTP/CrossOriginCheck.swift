package import HTTPTypes
import StorekeeperAppStore

/// Protects a local server against requests from foreign pages in a browser.
///
/// A foreign page can send requests to this server, but it cannot name this host, cannot send JSON without a preflight
/// request, cannot hide its origin, and cannot read our pages, such as the tokens of their forms.
package struct CrossOriginCheck: Sendable {
    /// Why a request is refused.
    package enum Refusal: Hashable, Sendable {
        /// The request names another host, as in DNS rebinding.
        case foreignHost
        /// The request comes from a foreign page.
        case foreignOrigin
    }

    /// Whether only this machine can reach the server.
    let isLoopback: Bool

    /// Creates the check of a server.
    package init(isLoopback: Bool) { self.isLoopback = isLoopback }

    /// Returns the refusal of a request by its host; `nil` if it names this host.
    ///
    /// - Parameter authority: The host and port in the request.
    package func refusal(authority: String?) -> Refusal? {
        let host = authority ?? ""
        let name =
            host.hasPrefix("[") ? String(host.prefix { $0 != "]" }.dropFirst()) : String(host.prefix { $0 != ":" })
        return isLoopback && !AppStoreServerHost.isLoopback(name) ? .foreignHost : nil
    }

    /// Returns the refusal of a request that changes data, from a form or script; `nil` if it comes from our pages.
    ///
    /// Browsers send the origin of a form; other clients need not.
    ///
    /// - SeeAlso: W3C, "Fetch Metadata Request Headers".
    package func refusal(ofFormAt authority: String?, headers: HTTPFields) -> Refusal? {
        if let refusal = refusal(authority: authority) { return refusal }
        if let site = headers[.secFetchSite], site != "same-origin", site != "none" { return .foreignOrigin }
        guard let origin = headers[.origin] else { return nil }
        guard let authority, origin == "http://\(authority)" || origin == "https://\(authority)" else {
            return .foreignOrigin
        }
        return nil
    }
}
