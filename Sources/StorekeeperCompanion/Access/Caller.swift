/// The permissions of a key.
public enum Scope: String, Hashable, Sendable, CaseIterable {
    /// The permission to read the answers about customers.
    case check
    /// The permission to read the answers, and to look up customers on the page `/desk` without changes.
    case desk
    /// The permission to read the answers, look up customers on `/desk`, and grant or revoke access without a purchase.
    case grant
    /// The permission to read the answers, and to bind purchases to customers.
    case claim
    /// The permission to read the answers, and to sign promotional offers, which lower the prices for customers.
    case offer
    /// The permission to read the answers, change balances and submit transactions.
    case spend
    /// All permissions, including parked evidence, the events of all customers, export and erasure.
    case admin

    /// Returns whether a key of this scope permits an action that requires another scope.
    func includes(_ other: Scope) -> Bool {
        self == .admin || self == other || other == .check || self == .grant && other == .desk
    }

    /// The list of all scopes, for error messages.
    package static let list = "check, desk, grant, claim, offer, spend or admin"

    /// Reads one or several scopes, separated by commas; `nil` if a scope is unknown or occurs twice.
    package static func several(_ text: String) -> [Scope]? {
        let words = text.split(separator: ",", omittingEmptySubsequences: false)
        let scopes = words.compactMap { Scope(rawValue: String($0)) }
        return scopes.count == words.count && Set(scopes).count == scopes.count ? scopes : nil
    }
}

/// The client that sent a request.
public struct Caller: Hashable, Sendable {
    /// The name of the client's key in the configuration; for logs.
    public let name: String
    /// The first or only scope of the client's key.
    public let scope: Scope
    /// The scopes of the client's key after the first scope.
    package let furtherScopes: [Scope]

    /// Makes a caller.
    package init(name: String, scope: Scope, furtherScopes: [Scope] = []) {
        self.name = name
        self.scope = scope
        self.furtherScopes = furtherScopes
    }

    /// All scopes of the client's key, separated by commas.
    package var scopes: String { ([scope] + furtherScopes).map(\.rawValue).joined(separator: ",") }

    /// Returns whether a scope of the client's key permits an action that requires the given scope.
    func has(_ other: Scope) -> Bool { scope.includes(other) || furtherScopes.contains { $0.includes(other) } }
}

/// The reason why a request is refused.
package enum AccessRefusal: Error, Hashable, Sendable {
    /// The request has no key.
    case missing
    /// The key is unknown.
    case unknown
    /// The key has expired.
    case expired
    /// The scopes of the caller's key do not permit the request.
    case forbidden(Caller, needed: Scope)
    /// The caller's key has exceeded its rate limit.
    case tooMany(Caller, retryAfter: Int)
    /// The client's IP address has sent too many requests without a valid key.
    case tooManyFromAddress(retryAfter: Int)

    /// The caller, if the key is valid; for logs.
    var caller: Caller? {
        switch self {
        case .forbidden(let caller, _), .tooMany(let caller, _): caller
        case .missing, .unknown, .expired, .tooManyFromAddress: nil
        }
    }
}
