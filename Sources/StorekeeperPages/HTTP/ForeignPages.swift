import StorekeeperAppStore

/// What a page in a browser, opened by somebody else, must not do to a server of this machine.
///
/// It can send requests here, but it cannot name this host, cannot send JSON without being asked first, cannot hide where
/// it comes from, and cannot read what a page of ours says, such as the token of its forms.
package struct ForeignPages: Sendable {
    /// Why a request is refused.
    package enum Refusal: Hashable, Sendable {
        /// It names another host, as after a name was made to point here.
        case foreignHost
        /// It comes from a page of somebody else.
        case foreignOrigin
    }

    /// Whether only this machine can reach the server.
    let isLoopback: Bool

    /// Makes the rule of a server.
    package init(isLoopback: Bool) { self.isLoopback = isLoopback }

    /// The refusal of a request that names a host; `nil` where it names this one.
    ///
    /// - Parameter authority: The host as the request names it, with its port.
    package func refusal(authority: String?) -> Refusal? {
        let host = authority ?? ""
        let name =
            host.hasPrefix("[") ? String(host.prefix { $0 != "]" }.dropFirst()) : String(host.prefix { $0 != ":" })
        return isLoopback && !AppStoreServerHost.isLoopback(name) ? .foreignHost : nil
    }

    /// The refusal of a request that changes something, as a form or a script sends it; `nil` where it comes from a page of ours.
    ///
    /// A browser says where a form comes from; what is no browser need not.
    ///
    /// - SeeAlso: W3C, "Fetch Metadata Request Headers".
    package func refusal(ofFormAt authority: String?, headers: [String: String]) -> Refusal? {
        if let refusal = refusal(authority: authority) { return refusal }
        if let site = headers["sec-fetch-site"], site != "same-origin", site != "none" { return .foreignOrigin }
        guard let origin = headers["origin"] else { return nil }
        guard let authority, origin == "http://\(authority)" || origin == "https://\(authority)" else {
            return .foreignOrigin
        }
        return nil
    }
}
