/// The permissions of a key.
public enum Scope: String, Hashable, Sendable, CaseIterable {
    /// Ask what customers own.
    case check
    /// Ask, and look up customers on the page `/desk`, without changing anything.
    case desk
    /// Ask, look up customers on `/desk`, and give access without a purchase, or revoke it.
    case grant
    /// Ask, and bind purchases to customers.
    case claim
    /// Ask, and sign promotional offers, which lower what customers pay.
    case offer
    /// Ask, change balances and submit transactions.
    case spend
    /// Everything, including parked evidence, events of all customers, export and erasure.
    case admin

    /// Returns whether a key of this scope permits an action that requires another.
    func includes(_ other: Scope) -> Bool {
        self == .admin || self == other || other == .check || self == .grant && other == .desk
    }

    /// The scopes, for messages.
    package static let list = "check, desk, grant, claim, offer, spend or admin"
}

/// The client that sent a request.
public struct Caller: Hashable, Sendable {
    /// The name of its key in the configuration; for logs.
    public let name: String
    /// The permissions of its key.
    public let scope: Scope

    /// Makes a caller.
    package init(name: String, scope: Scope) {
        self.name = name
        self.scope = scope
    }
}

/// Why a request is refused.
package enum AccessRefusal: Error, Hashable, Sendable {
    /// The request has no key.
    case missing
    /// The key is unknown.
    case unknown
    /// The key has expired.
    case expired
    /// The key's scope does not permit the request.
    case forbidden(needed: Scope)
    /// The key has exceeded its rate.
    case tooMany(retryAfter: Int)
    /// The address has sent too many requests without a valid key.
    case tooManyFromAddress(retryAfter: Int)

    /// Whether the request had no valid key, as guesses do not.
    var isWithoutKey: Bool {
        switch self {
        case .missing, .unknown, .expired: true
        case .forbidden, .tooMany, .tooManyFromAddress: false
        }
    }
}
