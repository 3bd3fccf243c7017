import StorekeeperAppStore

/// Protects a server on this machine from foreign pages in the user's browser.
///
/// A foreign page can send requests to the server. But it cannot name this host, cannot send JSON without a preflight
/// request, cannot hide its origin, and cannot read our pages, such as the token of their forms.
struct ForeignPages: Sendable {
    /// Why a request is refused.
    enum Refusal: Hashable, Sendable {
        /// The request names another host, as after DNS rebinding.
        case foreignHost
        /// The request comes from a page of another site.
        case foreignOrigin
    }

    /// Whether only this machine can reach the server.
    let isLoopback: Bool

    /// Returns why a request for a host is refused; `nil` if the host is this one.
    ///
    /// - Parameter authority: The host that the request names, with its port.
    func refusal(authority: String?) -> Refusal? {
        let host = authority ?? ""
        let name =
            host.hasPrefix("[") ? String(host.prefix { $0 != "]" }.dropFirst()) : String(host.prefix { $0 != ":" })
        return isLoopback && !AppStoreServerHost.isLoopback(name) ? .foreignHost : nil
    }

    /// Returns why a form or a script may not change something; `nil` if the request comes from one of our pages.
    ///
    /// Browsers send the origin of a form; other clients need not.
    ///
    /// - SeeAlso: W3C, "Fetch Metadata Request Headers".
    func refusal(ofFormAt authority: String?, headers: [String: String]) -> Refusal? {
        if let refusal = refusal(authority: authority) { return refusal }
        if let site = headers["sec-fetch-site"], site != "same-origin", site != "none" { return .foreignOrigin }
        guard let origin = headers["origin"] else { return nil }
        guard let authority, origin == "http://\(authority)" || origin == "https://\(authority)" else {
            return .foreignOrigin
        }
        return nil
    }
}
