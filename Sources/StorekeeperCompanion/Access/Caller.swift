/// What a key may do.
public enum Scope: String, Hashable, Sendable, CaseIterable {
    /// Ask what customers own.
    case check
    /// Ask, and look customers up on the page at `/desk`, which changes nothing.
    case desk
    /// Ask, and say whose purchases are.
    case claim
    /// Ask, move balances and hand in transactions.
    case spend
    /// All: also what is put aside, events of all customers, exporting and erasing.
    case admin

    /// Whether a key of this scope may do what takes another.
    func includes(_ other: Scope) -> Bool { self == .admin || self == other || other == .check }

    /// The scopes as a sentence names them.
    package static let list = "check, desk, claim, spend or admin"
}

/// Who asks.
public struct Caller: Hashable, Sendable {
    /// What the configuration calls the key; for logs.
    public let name: String
    /// What it may do.
    public let scope: Scope

    /// Makes a caller.
    package init(name: String, scope: Scope) {
        self.name = name
        self.scope = scope
    }
}

/// Why a request is not answered.
package enum AccessRefusal: Error, Hashable, Sendable {
    /// It bears no key.
    case missing
    /// Its key is none that is known.
    case unknown
    /// Its key has ended.
    case expired
    /// Its key may not do this.
    case forbidden(needed: Scope)
    /// Its key has asked too often.
    case tooMany(retryAfter: Int)
    /// Its address has asked too often without a key that is known.
    case tooManyFromAddress(retryAfter: Int)

    /// Whether it bears no key that counts, as guesses do not.
    var isWithoutKey: Bool {
        switch self {
        case .missing, .unknown, .expired: true
        case .forbidden, .tooMany, .tooManyFromAddress: false
        }
    }
}
